import { same } from './check'
import { contentOf } from './labels'

test('what a payload is, first that fits', () => {
  const kind = (text: string, hint = {}) => contentOf(text, hint).kind
  same(kind(''), 'empty')
  same(kind('--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n'), 'diff')
  same(kind('{"a": [1, 2]}'), 'json')
  same(kind('{not json'), 'text')
  same(kind('NAME   AGE\na      1\nb      2\n'), 'table')
  same(kind('2026-01-02 10:00:00 start\n2026-01-02 10:00:01 stop\n'), 'log')
  same(kind('INFO a\nWARN b\nERROR c'), 'log')
  same(kind('package x', { path: 'a/b.go' }), 'source')
  same(kind('# hi', { path: 'README.md' }), 'markdown')
  same(kind('anything', { kind: 'terminal' }), 'terminal')
  same(kind('hello\nworld'), 'text')
})

test('size is what was received', () => {
  same(contentOf('a😀\nb\n'), { kind: 'text', chars: 5, lines: 2 })
  same(contentOf('x', { path: 'm.go' }), { kind: 'source', language: 'Go', chars: 1, lines: 1 })
})
