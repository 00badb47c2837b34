import { same } from '../check'
import type { SessionRow } from '../wire'
import { groupsOf } from './groups'

const now = new Date(2026, 10, 20, 12).getTime()
const hour = 3_600_000
const row = (id: string, ago: number, over: Partial<SessionRow> = {}): SessionRow => ({ id, title: id, folder: '', state: 'idle', at: now - ago, createdAt: 0, ...over })
const shape = (rows: SessionRow[]) => groupsOf(rows, now).map((g) => [g.word, g.rows.map((r) => r.id)])

test('sessions stand under their day, newest first', () => {
  same(shape([row('old', 60 * 24 * hour), row('week', 4 * 24 * hour), row('now', 1 * hour), row('yesterday', 20 * hour), row('older', 62 * 24 * hour)]),
    [['today', ['now']], ['yesterday', ['yesterday']], ['week', ['week']], ['', ['old', 'older']]])
})

test('a fork stands under its origin, an archived one and a helper nowhere', () => {
  same(shape([row('a', 5 * hour), row('b', 6 * hour), row('fork', hour, { forkOf: 'b' }), row('gone', hour, { archived: true }), row('helper', hour, { parent: 'a' })]),
    [['today', ['a', 'b', 'fork']]])
})

test('a fork of a session that is not listed stands alone, pinned ones come first', () => {
  same(shape([row('f', hour, { forkOf: 'deleted' }), row('p', 40 * 24 * hour, { pinned: true })]), [['pinned', ['p']], ['today', ['f']]])
})
