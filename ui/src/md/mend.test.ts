import { same } from '../check'
import { mend } from './mend'

const cases: [string, string][] = [
  ['plain text', 'plain text'],
  ['a **bold wor', 'a **bold wor**'],
  ['a **bold** and *it', 'a **bold** and *it*'],
  ['a *', 'a '],
  ['a **', 'a '],
  ['2 * 3 is six', '2 * 3 is six'],
  ['run `go te', 'run `go te`'],
  ['run `', 'run '],
  ['~~gone', '~~gone~~'],
  ['see [the docs', 'see the docs'],
  ['see [the docs](https://exam', 'see the docs'],
  ['see [the docs](https://example.org)', 'see [the docs](https://example.org)'],
  ['see [the docs]', 'see the docs'],
  ['look ![alt', 'look '],
  ['look ![alt](http://x', 'look '],
  ['text\n#', 'text\n'],
  ['text\n- ', 'text\n'],
  ['text\n``', 'text\n'],
  ['- one\n- tw', '- one\n- tw'],
  ['before\n\n| a | b', 'before\n'],
  ['| a | b |\n|--', ''],
  ['| a | b |\n|---|---|\n', '| a | b |\n|---|---|\n'],
  ['| a | b |\n|---|---|\n| 1 | 2', '| a | b |\n|---|---|'],
  ['```go\nfunc **', '```go\nfunc **'],
  ['a \\* b', 'a \\* b'],
]

test('no half-written mark is shown', () => {
  for (const [text, want] of cases) same(mend(text), want, JSON.stringify(text))
})

test('every prefix of a text keeps its finished words', () => {
  const text = 'Use **bold** and `code` with a [link](https://example.org) now.'
  for (let n = 1; n <= text.length; n++) {
    const shown = mend(text.slice(0, n))
    if (/\*\*\w*$|\[\w|\]\(http[^)]*$/.test(shown.replace(/\*\*[^*]+\*\*/g, '').replace(/\[[^\]]*\]\([^)]*\)/g, ''))) throw new Error(`raw marks in ${JSON.stringify(shown)}`)
  }
})
