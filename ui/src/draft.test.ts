import { same } from './check'
import { readDraft } from './draft'

test('half a call tells its path and its text', () => {
  const whole = '{"path": "a/b.md", "content": "one\\ntwo \\"x\\" \\u00e9\\n"}'
  same(readDraft(whole), { what: 'a/b.md', body: 'one\ntwo "x" é\n', bytes: 15, lines: 2 })
  same(readDraft('{"path": "a/b.md", "content": "one\\ntw').body, 'one\ntw')
  same(readDraft('{"path": "a/b').what, 'a/b')
  same(readDraft('{"content": "a\\').body, 'a')
  same(readDraft('{"content": "a\\u00e').body, 'a')
})

test('no prefix of a call throws or shows another field', () => {
  const whole = '{"edits": [{"path": "inner", "new": "x"}], "path": "outer", "command": "ls {\\"a\\"}"}'
  for (let n = 0; n <= whole.length; n++) {
    const d = readDraft(whole.slice(0, n))
    if (d.what.startsWith('inner') || d.body !== '') throw new Error(whole.slice(0, n))
  }
  same(readDraft(whole).what, 'outer')
})
