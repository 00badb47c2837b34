import { same } from './check'
import type { Call, Item, Turn } from './items'
import { chunksOf, rowsOf } from './rows'
import type { Row } from './rows'

const common = (key: string) => ({ key, seq: 1, at: 1, step: 1 })
const call = (key: string, over: Partial<Call> = {}): Call => ({ ...common(key), kind: 'call', state: 'done', tool: 'read', arguments: '', present: { verb: 'read', what: key, looks: true }, ...over })
const reply = (key: string): Item => ({ ...common(key), kind: 'reply', message: key, text: key, live: false })
const said = (key: string): Item => ({ ...common(key), kind: 'said', id: key, content: [] })
const thought = (key: string): Item => ({ ...common(key), kind: 'thought', message: key, text: '', live: false })
const turn = (items: Item[], ended = false): Turn => ({
  key: 't1', turn: 1, items, startedAt: 1, rev: 1,
  ...(ended && { end: { reason: { kind: 'completed' }, usage: { input: 0, cached: 0, output: 0, reasoning: 0 }, steps: 3, ms: 1 } }),
})
const change = { verb: 'change', what: 'x' }
const asked = { call: 'c', hash: '', tool: 'edit', title: '', card: { title: '', hero: '', parts: [] }, cwd: '', mode: '', at: 1 }

function shape(rows: Row[]): string[] {
  return rows.map((r) => (r.kind === 'steps' ? 'steps ' + r.steps.map((s) => (s.kind === 'looked' ? `looked×${s.calls.length}` : s.key)).join(' ') : r.kind + ' ' + r.key))
}

test('steps that follow each other share a box', () => {
  same(shape(rowsOf(turn([said('u'), reply('r'), call('a'), call('b', { present: change })]), false)), ['said u', 'reply r', 'steps a b'])
})

test('three finished look-only steps fold to one, two do not', () => {
  same(shape(rowsOf(turn([call('a'), call('b')]), false)), ['steps a b'])
  same(shape(rowsOf(turn([call('a'), thought('h'), call('b'), call('c'), call('d', { present: change })]), false)), ['steps looked×3 d'])
  same(shape(rowsOf(turn([call('a'), call('b'), call('c', { state: 'running' })]), false)), ['steps a b c'])
})

test('a thought between two calls is a line of their box', () => {
  same(shape(rowsOf(turn([thought('h'), call('a'), thought('i'), call('b'), thought('j'), reply('r')]), false)),
    ['thought h', 'steps a i b', 'thought j', 'reply r'])
})

test('a waiting question stands alone, a decided one is a line before its step', () => {
  const decided = { call: 'c', decision: 'approved', by: 'person', mode: 'manual', at: 2 }
  same(shape(rowsOf(turn([call('a'), call('b', { state: 'proposed', asked })]), false)), ['steps a', 'ask b'])
  same(shape(rowsOf(turn([call('a'), call('b', { asked, decided })]), false)), ['steps a', 'decided b:decided', 'steps b'])
  same(shape(rowsOf(turn([call('b', { state: 'denied', asked, decided: { ...decided, decision: 'denied' } })]), false)), ['decided b:decided'])
})

test('a finished turn folds to its answer, its errors and its changes', () => {
  const items = [said('u'), thought('h'), reply('r'), call('a'), call('e', { state: 'error' }), call('w', { present: change }), reply('z')]
  same(shape(rowsOf(turn(items, true), false)), ['said u', 'folded t1:fold', 'steps e w', 'reply z'])
  same(shape(rowsOf(turn(items, true), true)), ['said u', 'folded t1:fold', 'thought h', 'reply r', 'steps a e w', 'reply z'])
})

test('a yes folds away, a no stays', () => {
  const decided = { call: 'c', decision: 'approved', by: 'person', mode: 'manual', at: 2 }
  const items = [said('u'), call('a'), call('w', { present: change, asked, decided }), call('n', { state: 'denied', asked, decided: { ...decided, decision: 'denied' } }), reply('z')]
  same(shape(rowsOf(turn(items, true), false)), ['said u', 'folded t1:fold', 'steps w', 'decided n:decided', 'reply z'])
})

test('a finished turn without steps does not fold', () => {
  same(shape(rowsOf(turn([said('u'), thought('h'), reply('z')], true), false)), ['said u', 'thought h', 'reply z'])
})

test('chunks keep their keys as rows are added', () => {
  const items = Array.from({ length: 45 }, (_, i) => reply('r' + i))
  same(chunksOf(turn(items), rowsOf(turn(items), false)).map((c) => [c.key, c.rows.length]), [['t1.0', 20], ['t1.1', 20], ['t1.2', 5]])
})
