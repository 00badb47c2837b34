import { holds, same } from './check'
import { Transcript } from './fold'
import type { Call, Reply } from './items'
import type { LogEvent } from './wire'

/** Events with running numbers, one second apart. */
function log(...drafts: [string, number, number, unknown][]): LogEvent[] {
  return drafts.map(([type, turn, step, data], i) => ({ seq: i + 1, at: 1000 * (i + 1), type, turn, step, data }) as LogEvent)
}

const oneTurn = log(
  ['turn/start', 1, 0, { mode: 'manual' }],
  ['user/message', 1, 0, { id: 'x', content: [{ text: 'hi' }] }],
  ['step/start', 1, 1, {}],
  ['assistant/delta', 1, 1, { message: 'm1', channel: 'reasoning', offset: 0, text: 'hmm' }],
  ['assistant/delta', 1, 1, { message: 'm1', channel: 'text', offset: 0, text: 'Ça va' }],
  ['assistant/message', 1, 1, { id: 'm1', content: [{ text: 'Ça va' }], reasoning: [{ text: 'hmm' }], calls: [{ id: 'k1', name: 'read', arguments: '{}' }], thinkMs: 700 }],
  ['tool/call', 1, 1, { call: 'c1', modelId: 'k1', caller: 'model', tool: 'read', arguments: '{}', present: { verb: 'read', what: 'a.go', looks: true } }],
  ['approval/decided', 1, 1, { call: 'c1', decision: 'allowed', by: 'tool', mode: 'manual' }],
  ['tool/started', 1, 1, { call: 'c1' }],
  ['tool/result', 1, 1, { call: 'c1', content: [{ text: 'ok' }] }],
  ['step/end', 1, 1, {}],
  ['assistant/message', 1, 2, { id: 'm2', content: [{ text: 'Done.' }] }],
  ['turn/end', 1, 2, { reason: { kind: 'completed' }, usage: {}, steps: 2, ms: 9 }],
)

function folded(events: LogEvent[]): Transcript {
  const t = new Transcript()
  for (const e of events) t.event(e)
  return t
}

const shape = (t: Transcript) => t.turns.map((turn) => [turn.turn, turn.items.map((i) => i.kind + ' ' + i.key)])

test('a turn folds to what was said, thought, done and answered', () => {
  const t = folded(oneTurn)
  same(shape(t), [[1, ['said u2', 'thought m1:thought', 'reply m1', 'call m1/0', 'reply m2']]])
  const call = t.call('c1') as Call
  same([call.state, call.present!.what, call.startedAt, call.endedAt], ['done', 'a.go', 9000, 10000])
  same(t.turns[0]!.end!.steps, 2)
})

test('an event that comes again changes nothing', () => {
  const t = folded([...oneTurn, ...oneTurn])
  same(JSON.stringify(t.turns.map((x) => x.items)), JSON.stringify(folded(oneTurn).turns.map((x) => x.items)))
})

test('live pieces and their packs give each byte once', () => {
  const t = folded(oneTurn.slice(0, 3))
  const piece = (offset: number, text: string) => t.delta({ message: 'm1', channel: 'text', offset, text }, 1, 1, 4000)
  piece(0, 'Ça')
  piece(3, ' va')
  piece(0, 'Ça v') // the pack from the log, shorter than what is known
  piece(3, ' va bien') // overlaps by three bytes
  piece(40, 'behind a gap')
  same(t.streams.get('m1')!.text.text, 'Ça va bien')
  t.event(oneTurn[4]!)
  same(t.streams.get('m1')!.text.text, 'Ça va bien')
})

test('a piece that comes after its message is dropped', () => {
  const t = folded(oneTurn.slice(0, 6))
  t.delta({ message: 'm1', channel: 'text', offset: 0, text: 'Ça va' }, 1, 1, 4000)
  same(t.streams.size, 0)
  same((t.item('m1') as Reply).text, 'Ça va')
})

test('a call keeps its key from the first letter to the result', () => {
  const t = folded(oneTurn.slice(0, 3))
  t.delta({ message: 'm1', channel: 'call', call: 0, name: 'read', offset: 0, text: '{' }, 1, 1, 4000)
  same((t.item('m1/0') as Call).state, 'drafting')
  const states: string[] = []
  for (const e of oneTurn.slice(3)) { t.event(e); states.push((t.item('m1/0') as Call).state) }
  same([...new Set(states)], ['drafting', 'queued', 'running', 'done'])
  same(t.call('c1')!.key, 'm1/0')
})

test('a question makes the call wait and its answer is kept', () => {
  const t = folded(oneTurn.slice(0, 7))
  const next = (type: string, data: unknown) => t.event({ seq: t.seq + 1, at: 9000, type, turn: 1, step: 1, data } as LogEvent)
  next('approval/asked', { call: 'c1', hash: 'aa', tool: 'read', card: { title: 'use-tool', hero: 'x', parts: [] } })
  same(t.call('c1')!.state, 'proposed')
  next('approval/decided', { call: 'c1', decision: 'denied', by: 'person', note: 'not now' })
  next('tool/result', { call: 'c1', content: [], failed: true, deniedBy: 'person' })
  same([t.call('c1')!.state, t.call('c1')!.decided!.note], ['denied', 'not now'])
})

test('a turn that ends leaves nothing running', () => {
  const t = folded(oneTurn.slice(0, 9))
  t.event({ seq: 10, at: 20000, type: 'turn/end', turn: 1, data: { reason: { kind: 'aborted', by: 'user' }, usage: {}, steps: 1, ms: 1 } } as LogEvent)
  same(t.call('c1')!.state, 'stopped')
  same(t.last!.items.at(-1)!.kind, 'end')
})

test('an interrupted stream keeps its text, marked', () => {
  const t = folded(oneTurn.slice(0, 5))
  t.event({ seq: 6, at: 7000, type: 'turn/end', turn: 1, data: { reason: { kind: 'interrupted' }, usage: {}, steps: 1, ms: 1 } } as LogEvent)
  const reply = t.item('m1') as Reply
  same([reply.text, reply.interrupted, reply.live], ['Ça va', true, false])
})

test('a failed attempt takes its half reply with it', () => {
  const t = folded(oneTurn.slice(0, 5))
  t.event({ seq: 6, at: 7000, type: 'request/attempt', turn: 1, step: 1, data: { request: 1, attempt: 1, code: 'overloaded', waitMs: 2000 } } as LogEvent)
  same(shape(t), [[1, ['said u2', 'retry r6']]])
  t.event({ seq: 7, at: 8000, type: 'assistant/message', turn: 1, step: 1, data: { id: 'm1b', content: [{ text: 'Yes.' }] } } as LogEvent)
  same(shape(t), [[1, ['said u2', 'reply m1b']]])
})

test('older pages give the same transcript as the whole log, wherever they are cut', () => {
  const second = oneTurn.map((e) => ({
    ...e, seq: e.seq + 13, turn: 2,
    data: JSON.parse(JSON.stringify(e.data).replace(/"(m|c|k|x)(\d?)"/g, '"$1$2_2"')),
  }) as LogEvent)
  const all = [...oneTurn, ...second]
  const whole = JSON.stringify(shape(folded(all)))
  for (let cut = 1; cut < all.length; cut++) {
    const t = folded(all.slice(cut))
    t.older(all.slice(0, cut))
    same(JSON.stringify(shape(t)), whole, `cut at ${cut}`)
    holds(t.first === 1, 'the first event is known')
    for (const e of all) t.event(e)
    same(JSON.stringify(shape(t)), whole, `replayed after a cut at ${cut}`)
  }
})

test('a turn knows the last event before what asked for it', () => {
  const t = folded(log(['session/created', 0, 0, {}], ['inbox/changed', 0, 0, { op: 'queued', message: { id: 'x', content: [], delivery: 'follow-up' } }],
    ['activity/start', 0, 0, {}], ['turn/start', 1, 0, {}], ['user/message', 1, 1, { id: 'x', content: [{ text: 'hi' }] }],
    ['assistant/message', 1, 1, { id: 'm', content: [{ text: 'yes' }] }], ['turn/end', 1, 1, { reason: { kind: 'completed' }, usage: {}, steps: 1, ms: 1 }]))
  same([t.last!.before, t.last!.endSeq], [1, 7])
})

test('a turn without an answer says so', () => {
  const t = folded(log(['turn/start', 1, 0, {}], ['user/message', 1, 0, { id: 'x', content: [{ text: 'hi' }] }],
    ['turn/end', 1, 1, { reason: { kind: 'completed' }, usage: {}, steps: 1, ms: 1 }]))
  same(t.last!.items.map((i) => i.kind), ['said', 'end'])
})

test('a question about a folder is a card of its own and ends as one line', () => {
  const asked = { call: 'folder7', tool: 'folder', hash: 'h', mode: 'manual', card: { title: 'use-folder', hero: '/w', parts: [] } }
  const t = folded(log(['approval/asked', 0, 0, asked], ['turn/start', 1, 0, {}], ['turn/end', 1, 0, { reason: { kind: 'completed' }, usage: {}, steps: 0, ms: 1 }]))
  same(t.call('folder7')!.state, 'proposed')
  t.event({ seq: 9, at: 9, type: 'approval/decided', data: { call: 'folder7', decision: 'approved', by: 'person' } } as LogEvent)
  same([t.call('folder7')!.state, t.call('folder7')!.decided!.decision], ['done', 'approved'])
})
