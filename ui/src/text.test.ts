import { holds, same } from './check'
import { countHidden, countLines, dropBytes, isHidden, linesOf, markBytes, shortPath, spell, splitPath, utf8Length } from './text'

test('bytes are counted as UTF-8', () => {
  same(utf8Length('aé€😀'), 1 + 2 + 3 + 4)
  same(utf8Length('\ud83d'), 3)
})

test('bytes are dropped on character borders', () => {
  same(dropBytes('aé€😀b', 3), '€😀b')
  same(dropBytes('aé€😀b', 0), 'aé€😀b')
  same(dropBytes('ab', 5), '')
})

test('marks are found by their bytes', () => {
  same(markBytes('né fsync 漢字', [[4, 9], [10, 16]]), [
    { text: 'né ', marked: false }, { text: 'fsync', marked: true }, { text: ' ', marked: false }, { text: '漢字', marked: true }])
  same(markBytes('', []), [])
})

test('a last line break does not make a line', () => {
  same([countLines(''), countLines('a'), countLines('a\n'), countLines('a\n\n'), countLines('a\nb')], [0, 1, 1, 2, 2])
  same(linesOf('a\nb\n'), ['a', 'b'])
  same(linesOf(''), [''])
})

test('every character that hides or reorders text is boxed', () => {
  const codes = [0x00, 0x07, 0x0d, 0x1b, 0x7f, 0x85, 0xa0, 0xad, 0x61c, 0x180e, 0x2002, 0x200b, 0x200e, 0x2028, 0x202a, 0x202e,
    0x202f, 0x205f, 0x2060, 0x2066, 0x2069, 0x3000, 0xfe0f, 0xfeff, 0xe0001, 0xe007f, 0xe0100]
  for (const code of codes) {
    holds(isHidden(code), 'U+' + code.toString(16))
    const pieces = spell('a' + String.fromCodePoint(code) + 'b')
    same(pieces.map((p) => p.kind), ['text', 'hidden', 'text'], 'U+' + code.toString(16))
  }
  for (const code of [0x09, 0x0a, 0x20, 0x41, 0xe9, 0x4e2d, 0x1f600]) holds(!isHidden(code), 'plain U+' + code.toString(16))
})

test('pieces join to the line they came from', () => {
  const line = '    rm -rf \u202e / ' + ' '.repeat(40) + '# раураl \u3000 x    '
  same(spell(line).map((p) => p.text).join(''), line)
})

test('runs of blanks are counted, indentation is not', () => {
  same(spell('    return x').map((p) => p.kind), ['text'])
  same(spell('ls' + ' '.repeat(200) + '; rm -rf ~').map((p) => p.kind), ['text', 'blanks', 'text'])
  same(spell(' '.repeat(200) + 'rm').map((p) => p.kind), ['blanks', 'text'])
  same(spell('x    ').map((p) => p.kind), ['text', 'blanks'])
})

test('a word that mixes scripts is marked', () => {
  same(spell('open pаypal now').map((p) => [p.kind, p.text]), [['text', 'open '], ['mixed', 'pаypal'], ['text', ' now']])
  same(spell('привет world').map((p) => p.kind), ['text'])
  same(countHidden('a\u202eb\n\u200bc pаypal'), { hidden: 2, mixed: 1 })
})

test('paths keep their last name', () => {
  same(splitPath('internal/store/writer.go'), { dir: 'internal/store/', name: 'writer.go' })
  same(splitPath('a/b/'), { dir: 'a/', name: 'b/' })
  same(shortPath('internal/very/long/folder/writer.go', 24), 'internal/very…/writer.go')
})
