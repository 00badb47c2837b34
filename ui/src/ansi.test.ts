import { same } from './check'
import { parseAnsi } from './ansi'

test('colours are kept as words', () => {
  same(parseAnsi('\x1b[32mok\x1b[0m pkg \x1b[1;31mFAIL\x1b[22m x\x1b[39m'), [
    { text: 'ok', style: 'fg-green' }, { text: ' pkg ', style: '' }, { text: 'FAIL', style: 'fg-red bold' }, { text: ' x', style: 'fg-red' }])
})

test('titles, clipboards, links, cursor moves and clears leave nothing', () => {
  const evil = 'a\x1b]0;title\x07b\x1b]52;c;ZXZpbA==\x07c\x1b]8;;http://x\x1b\\d\x1b[2J\x1b[1;1He\x1bcf\x9b31mg\x07\x08'
  same(parseAnsi(evil).map((s) => s.text).join(''), 'abcdefg')
})

test('a carriage return keeps what was written last', () => {
  same(parseAnsi('10%\r50%\r100%\nnext\r\n').map((s) => s.text).join(''), '100%\nnext\n')
})

test('colours of the 256 and of RGB do not leak their numbers', () => {
  same(parseAnsi('\x1b[38;5;196mx\x1b[38;2;1;2;3my\x1b[48;5;1mz'), [{ text: 'xyz', style: '' }])
})
