import { same } from './check'
import { parseDiff } from './diff'

test('a unified diff keeps every line with its numbers', () => {
  const d = parseDiff('--- a/x\n+++ b/x\n@@ -43,4 +43,5 @@ func f() {\n a\n-b\n+c\n+d\n e\n f\n')
  same(d.hunks[0]!.lines.map((l) => [l.sign, l.old ?? 0, l.new ?? 0, l.text]),
    [[' ', 43, 43, 'a'], ['-', 44, 0, 'b'], ['+', 0, 44, 'c'], ['+', 0, 45, 'd'], [' ', 45, 46, 'e'], [' ', 46, 47, 'f']])
  same([d.added, d.removed, d.lines, d.hunks[0]!.from, d.hunks[0]!.to, d.hunks[0]!.where], [2, 1, 6, 43, 47, 'func f() {'])
})

test('payload lines that look like heads stay payload', () => {
  const d = parseDiff('--- /dev/null\n+++ b/x\n@@ -0,0 +1,3 @@\n+--- a\n+@@ -1 +1 @@\n++++ b\n\\ No newline at end of file\n')
  same(d.hunks.length, 1)
  same(d.hunks[0]!.lines.map((l) => l.text), ['--- a', '@@ -1 +1 @@', '+++ b'])
  same(d.hunks[0]!.lines[2]!.noNewline, true)
})

test('an empty diff is no hunks', () => same(parseDiff(''), { hunks: [], added: 0, removed: 0, lines: 0 }))
