import { same } from './check'
import { factsAfter, factsOf, noFacts } from './facts'
import type { LogEvent } from './wire'

const event = (type: string, data: unknown) => ({ seq: 1, at: 1, type, data }) as LogEvent
const queued = (id: string, text = id) => ({ id, content: [{ text }], delivery: 'follow-up' })

test('the queue follows its events', () => {
  let f = noFacts
  for (const d of [{ op: 'queued', message: queued('a') }, { op: 'queued', message: queued('b') }, { op: 'edited', message: queued('a', 'A') },
    { op: 'promoted', ids: ['b'] }, { op: 'held' }]) f = factsAfter(f, event('inbox/changed', d))
  same(f.queue.map((m) => [m.id, m.content![0]!.text, m.delivery]), [['a', 'A', 'follow-up'], ['b', 'b', 'steer']])
  same(f.held, true)
  f = factsAfter(f, event('inbox/changed', { op: 'claimed', ids: ['a'] }))
  same(f.queue.map((m) => m.id), ['b'])
})

test('an event that comes again does not double a message', () => {
  const e = event('inbox/changed', { op: 'queued', message: queued('a') })
  same(factsAfter(factsAfter(noFacts, e), e).queue.length, 1)
})

test('a snapshot gives the facts, an unknown mode is Manual', () => {
  const f = factsOf({ session: { title: 'T' }, mode: { mode: 'yolo' }, loop: { route: 'r', effort: 'high' } }, '/w')
  same([f.title, f.folder, f.mode, f.route, f.effort], ['T', '/w', 'manual', 'r', 'high'])
})

test('the meter follows every request, and a compaction', () => {
  let f = factsAfter(noFacts, event('context/measured', { tokens: 900, window: 1000, measured: true, soon: true }))
  same(f.context, { used: 900, window: 1000, measured: true, soon: true })
  f = factsAfter(f, event('compaction/end', { before: 900, after: 380, window: 1000, start: 800 }))
  same(f.context, { used: 380, window: 1000, measured: false, soon: false })
})
