// Log events and live pieces → transcript. Deterministic; knows no DOM and no clock.

import { Channel } from './channel'
import type { Call, CallState, Item, Thought, Reply, Turn } from './items'
import { isOpen } from './items'
import type { AskedData, DecidedData, DeltaData, LogEvent, Payloads, ToolProgressData, ToolResultData } from './wire'
import { plain } from './wire'

/** A reply while it streams: its answer, its thinking and the calls it is writing. */
export interface Stream {
  text: Channel
  reasoning: Channel
  calls: { name: string; arguments: Channel }[]
  thinkingSince?: number
}

/** Where live text is told apart: a message's id, or a call's with its own prefix. */
export const outputKey = (call: string): string => 'out:' + call

type Handler<K extends keyof Payloads> = (t: Transcript, e: LogEvent, data: Payloads[K]) => void

export class Transcript {
  turns: Turn[] = []
  /** The last event taken; older ones that come again are dropped. */
  seq = 0
  /** The first event known; 0 until there is one. */
  first = 0
  streams = new Map<string, Stream>()
  outputs = new Map<string, Channel>()
  /** The text of the summary that is being made. */
  summary = ''
  /** Called with the key of live text that grew, see [outputKey]. */
  onLive: (key: string) => void = () => {}

  private where = new Map<string, Turn>() // item key → its turn
  private keyOfCall = new Map<string, string>() // call id → item key
  private queuedAt = new Map<string, number>() // message id → the event that queued it
  private oldest: LogEvent[] = [] // the events of the first turn, which an older page may have cut

  /** Takes one event of the log, in order. */
  event(e: LogEvent): void {
    if (e.seq <= this.seq) return
    this.seq = e.seq
    if (!this.first) this.first = e.seq
    const handle = handlers[e.type as keyof Payloads] as Handler<keyof Payloads> | undefined
    if (handle) handle(this, e, (e.data ?? {}) as never)
    if (this.turns.length <= 1) this.oldest.push(e)
  }

  /** Puts a page of older events, ascending, before what is there. */
  older(events: LogEvent[]): void {
    if (events.length === 0) return
    const before = new Transcript()
    const cut = this.turns[0]
    for (const e of [...events, ...(cut ? this.oldest : [])]) before.event(e)
    // The first turn was folded again together with its older part; a turn that is
    // open keeps what only the live stream knows.
    if (cut) {
      for (const [key, turn] of this.where) if (turn === cut) this.where.delete(key)
    }
    this.turns = [...before.turns, ...this.turns.slice(1)]
    for (const [key, turn] of before.where) this.where.set(key, turn)
    for (const [call, key] of before.keyOfCall) this.keyOfCall.set(call, key)
    for (const [id, stream] of before.streams) if (!this.streams.has(id)) this.streams.set(id, stream)
    this.first = events[0]!.seq
    this.oldest = before.oldest
  }

  /** Takes a piece of a streaming reply, live or from the log. */
  delta(d: DeltaData, turn: number, step: number, at: number): void {
    if (this.where.has(d.message + '/done')) return
    let stream = this.streams.get(d.message)
    if (!stream) this.streams.set(d.message, (stream = { text: new Channel(), reasoning: new Channel(), calls: [] }))
    const base = { seq: 0, at, step }
    if (d.channel === 'text') {
      if (!stream.text.push(d.offset, d.text)) return
      this.endThought(d.message, at)
      if (!this.has(d.message)) this.add(turn, { ...base, key: d.message, kind: 'reply', message: d.message, text: '', live: true }, at)
    } else if (d.channel === 'reasoning') {
      if (!stream.reasoning.push(d.offset, d.text)) return
      const key = d.message + ':thought'
      stream.thinkingSince ??= at
      if (!this.has(key)) this.add(turn, { ...base, key, kind: 'thought', message: d.message, text: '', live: true }, at)
    } else {
      const index = d.call ?? 0
      const draft = (stream.calls[index] ??= { name: '', arguments: new Channel() })
      if (d.name) draft.name = d.name
      this.endThought(d.message, at)
      const key = d.message + '/' + index
      if (!this.has(key)) {
        this.add(turn, { ...base, key, kind: 'call', state: 'drafting', tool: draft.name, message: d.message, index, arguments: '' }, at)
      }
      if (!draft.arguments.push(d.offset, d.text)) return
    }
    this.onLive(d.message)
  }

  /** Takes output of a running call, live or from the log. */
  progress(p: ToolProgressData): void {
    let out = this.outputs.get(p.call)
    if (!out) this.outputs.set(p.call, (out = new Channel()))
    if (out.push(p.offset, p.text)) this.onLive(outputKey(p.call))
  }

  call(id: string): Call | undefined {
    const item = this.item(this.keyOfCall.get(id) ?? '')
    return item?.kind === 'call' ? item : undefined
  }

  item(key: string): Item | undefined {
    return this.where.get(key)?.items.find((i) => i.key === key)
  }

  has(key: string): boolean { return this.where.has(key) }

  get last(): Turn | undefined { return this.turns[this.turns.length - 1] }

  // Below: for the handlers.

  /** The turn with that number, made at the end where it is new; 0 is "between turns". */
  turn(number: number, at: number): Turn {
    const last = this.last
    if (last && (last.turn === number || (number === 0 && !isOpen(last) && last.turn !== 0))) return last
    if (number > 0) {
      const known = this.turns.findLast((t) => t.turn === number)
      if (known) return known
    }
    const turn: Turn = { key: number ? 't' + number : 'b' + this.seq, turn: number, items: [], startedAt: at, rev: 0 }
    this.turns.push(turn)
    return turn
  }

  add(number: number, item: Item, at: number): void {
    const turn = this.turn(number, at)
    turn.items = [...turn.items, item]
    turn.rev++
    this.where.set(item.key, turn)
  }

  /** Replaces an item by what change gives; undefined takes it out. */
  change<T extends Item>(key: string, change: (item: T) => T | undefined): void {
    const turn = this.where.get(key)
    const at = turn?.items.findIndex((i) => i.key === key) ?? -1
    if (!turn || at < 0) return
    const next = change(turn.items[at] as T)
    turn.items = next ? turn.items.with(at, next) : turn.items.toSpliced(at, 1)
    if (!next) this.where.delete(key)
    turn.rev++
  }

  changeCall(call: string, change: (item: Call) => Call): void {
    const key = this.keyOfCall.get(call)
    if (key) this.change<Call>(key, change)
  }

  nameCall(call: string, key: string): void { this.keyOfCall.set(call, key) }

  queued(id: string, seq: number): void { this.queuedAt.set(id, seq) }
  queuedSeq(id: string): number | undefined { return this.queuedAt.get(id) }

  /** The item a call was drafted in: by the model's id, in the same step. */
  drafted(turn: number, step: number, modelId: string | undefined): Call | undefined {
    if (!modelId) return undefined
    const items = this.turns.findLast((t) => t.turn === turn)?.items ?? []
    return items.findLast((i): i is Call => i.kind === 'call' && i.step === step && i.modelId === modelId && !i.call)
  }

  /** Closes a stream: nothing more of it is taken. */
  close(message: string, turn: Turn): void {
    this.streams.delete(message)
    this.where.set(message + '/done', turn)
  }

  private endThought(message: string, at: number): void {
    this.change<Thought>(message + ':thought', (t) => t.live
      ? { ...t, text: this.streams.get(message)?.reasoning.text ?? '', live: false, millis: at - t.at } : t)
  }
}

const common = (e: LogEvent) => ({ seq: e.seq, at: e.at, step: e.step ?? 0 })

const handlers: { [K in keyof Payloads]?: Handler<K> } & Record<string, Handler<never> | undefined> = {
  'turn/start': (t, e, data) => {
    const turn = t.turn(e.turn ?? 0, e.at)
    turn.start = data
    turn.before = e.seq - 1
    turn.startedAt = e.at
    turn.rev++
  },

  'inbox/changed': (t, e, data) => { if (data.op === 'queued' && data.message) t.queued(data.message.id, e.seq) },

  'turn/end': (t, e, data) => {
    const number = e.turn ?? 0
    const turn = t.turn(number, e.at)
    settle(t, turn, e.at, data.reason.kind === 'aborted' || data.reason.kind === 'interrupted')
    turn.end = data
    turn.endedAt = e.at
    turn.endSeq = e.seq
    turn.rev++
    if (endSaysSomething(turn)) t.add(number, { ...common(e), key: 'e' + e.seq, kind: 'end', end: data }, e.at)
  },

  'user/message': (t, e, data) => {
    const turn = t.turn(e.turn ?? 0, e.at)
    if (turn.before !== undefined) turn.before = Math.min(turn.before, (t.queuedSeq(data.id) ?? e.seq) - 1)
    t.add(e.turn ?? 0, { ...common(e), key: 'u' + e.seq, kind: 'said', id: data.id, content: data.content ?? [], origin: data.origin, delivery: data.delivery }, e.at)
  },

  'assistant/delta': (t, e, data) => t.delta(data, e.turn ?? 0, e.step ?? 0, e.at),

  'assistant/message': (t, e, data) => {
    const number = e.turn ?? 0
    const stream = t.streams.get(data.id)
    dropRetries(t, t.turn(number, e.at))
    const thinking = (data.reasoning ?? []).map((r) => r.text ?? '').join('')
    const thoughtKey = data.id + ':thought'
    const thought: Thought = { ...common(e), key: thoughtKey, kind: 'thought', message: data.id, text: thinking, live: false, millis: data.thinkMs }
    if (!thinking) t.change(thoughtKey, () => undefined)
    else if (t.has(thoughtKey)) t.change<Thought>(thoughtKey, (old) => ({ ...thought, at: old.at, millis: data.thinkMs ?? old.millis }))
    else t.add(number, thought, e.at)

    const text = plain(data.content)
    const reply: Reply = { ...common(e), key: data.id, kind: 'reply', message: data.id, text, live: false, interrupted: data.interrupted, data }
    if (!text) t.change(data.id, () => undefined)
    else if (t.has(data.id)) t.change<Reply>(data.id, (old) => ({ ...reply, at: old.at }))
    else t.add(number, reply, e.at)

    const calls = data.calls ?? []
    calls.forEach((c, index) => {
      const key = data.id + '/' + index
      const call: Call = { ...common(e), key, kind: 'call', state: 'queued', tool: c.name, modelId: c.id, message: data.id, index, arguments: c.arguments }
      if (t.has(key)) t.change<Call>(key, (old) => ({ ...call, at: old.at }))
      else t.add(number, call, e.at)
    })
    // Drafts of calls that the finished message does not have will not run.
    for (let i = calls.length; i < (stream?.calls.length ?? 0); i++) t.change<Call>(data.id + '/' + i, (c) => ({ ...c, ...draftText(stream, i), state: 'stopped', endedAt: e.at }))
    t.close(data.id, t.turn(number, e.at))
  },

  'tool/call': (t, e, data) => {
    const known = t.drafted(e.turn ?? 0, e.step ?? 0, data.modelId)
    const key = known?.key ?? 'c' + data.call
    const facts = { call: data.call, tool: data.tool, modelId: data.modelId, parent: data.parent, arguments: data.arguments, present: data.present, state: 'queued' as CallState }
    if (known) t.change<Call>(key, (c) => ({ ...c, ...facts, seq: e.seq }))
    else t.add(e.turn ?? 0, { ...common(e), key, kind: 'call', ...facts }, e.at)
    t.nameCall(data.call, key)
  },

  'approval/asked': (t, e, data: AskedData) => {
    if (data.tool === 'folder' && !t.call(data.call)) {
      t.add(e.turn ?? 0, { ...common(e), key: 'c' + data.call, kind: 'call', call: data.call, tool: data.tool, state: 'proposed', arguments: '', bare: true }, e.at)
      t.nameCall(data.call, 'c' + data.call)
    }
    t.changeCall(data.call, (c) => ({ ...c, state: 'proposed', asked: { ...data, at: e.at }, decided: undefined }))
  },

  'approval/decided': (t, e, data: DecidedData) => t.changeCall(data.call, (c) => ({
    ...c, decided: { ...data, at: e.at }, state: c.bare ? 'done' : c.state === 'proposed' ? (c.startedAt ? 'running' : 'queued') : c.state,
  })),

  'question/asked': (t, e, data) => t.changeCall(data.call, (c) => ({ ...c, question: { ...data, at: e.at } })),
  'question/answered': (t, e, data) => t.changeCall(data.call, (c) => ({ ...c, answered: { ...data, at: e.at } })),
  'plan/proposed': (t, e, data) => t.changeCall(data.call, (c) => ({ ...c, plan: { ...data, at: e.at } })),
  'plan/decided': (t, e, data) => t.changeCall(data.call, (c) => ({ ...c, planned: { ...data, at: e.at } })),

  'tool/started': (t, e, data) => t.changeCall(data.call, (c) => ({ ...c, state: 'running', startedAt: e.at })),

  'tool/progress': (t, _e, data) => t.progress(data),

  'tool/result': (t, e, data) => {
    t.changeCall(data.call, (c) => ({ ...c, result: data, endedAt: e.at, state: stateOf(data) }))
    t.outputs.delete(data.call)
  },

  'request/attempt': (t, e, data) => {
    const number = e.turn ?? 0
    const turn = t.turn(number, e.at)
    dropRetries(t, turn)
    dropStreams(t, turn, e.step ?? 0)
    if (!data.final) t.add(number, { ...common(e), key: 'r' + e.seq, kind: 'retry', attempt: data }, e.at)
  },

  note: (t, e, data) => t.add(e.turn ?? 0, { ...common(e), key: 'n' + e.seq, kind: 'note', note: data }, e.at),

  'undo/done': (t, e, data) => t.add(0, { ...common(e), key: 'n' + e.seq, kind: 'note', note: { key: data.of.startsWith('u') ? 'note.redone' : 'note.undone', values: { n: data.files?.length ?? 0 }, text: '' } }, e.at),

  'compaction/summary': (t, _e, data) => { t.summary = data.text },
  'compaction/end': (t, e, data) => {
    const summary = t.summary
    t.summary = ''
    if (!data.items && !data.error) return
    const share = (tokens: number) => Math.round((100 * tokens) / (data.window || 1))
    const note = data.error ? { key: '', text: data.error, level: 'warn' } : { key: 'note.compacted', values: { n: data.items, before: share(data.before), after: share(data.after) }, text: '', level: 'info' }
    t.add(e.turn ?? 0, { ...common(e), key: 'n' + e.seq, kind: 'note', note, ...(summary && { details: summary }) }, e.at)
  },

  'session/incident': (t, e, data) => t.add(e.turn ?? 0, {
    ...common(e), key: 'n' + e.seq, kind: 'note', details: [data.what, data.kept].filter(Boolean).join('\n'),
    note: { key: 'note.incident', values: { bytes: data.bytes ?? 0 }, text: data.what, level: 'warn' },
  }, e.at),

  // What an interrupted end says already is not said twice.
  'session/recovered': (t, e, data) => {
    if (!data.outcomeUnknown?.length && t.turns.some((turn) => turn.turn === data.turn && turn.end)) return
    const key = data.outcomeUnknown?.length ? 'note.recovered-unknown' : 'note.recovered'
    t.add(data.turn, { ...common(e), key: 'n' + e.seq, kind: 'note', note: { key, text: '', level: 'warn' } }, e.at)
  },
}

/** The state a result gives its call. */
function stateOf(r: ToolResultData): CallState {
  if (r.deniedBy) return 'denied'
  if (r.code === 'TOOL_STOPPED' || r.code === 'CANCELLED' || r.code === 'TOOL_NOT_STARTED') return 'stopped'
  return r.failed ? 'error' : 'done'
}

function draftText(stream: Stream | undefined, index: number): { tool: string; arguments: string } | undefined {
  const draft = stream?.calls[index]
  return draft && { tool: draft.name, arguments: draft.arguments.text }
}

/** At a turn's end nothing of it streams or runs any more, whatever was lost. */
function settle(t: Transcript, turn: Turn, at: number, cutOff: boolean): void {
  for (const item of turn.items) {
    if (item.kind === 'reply' && item.live) {
      t.change<Reply>(item.key, (r) => ({ ...r, live: false, interrupted: true, text: t.streams.get(r.message)?.text.text ?? r.text }))
      t.close(item.message, turn)
    } else if (item.kind === 'thought' && item.live) {
      t.change<Thought>(item.key, (r) => ({ ...r, live: false, millis: at - r.at, text: t.streams.get(r.message)?.reasoning.text ?? r.text }))
    } else if (item.kind === 'call' && !item.result && item.state !== 'stopped') {
      t.change<Call>(item.key, (c) => ({ ...c, ...(c.state === 'drafting' && draftText(t.streams.get(c.message ?? ''), c.index ?? 0)), state: cutOff || !c.startedAt ? 'stopped' : 'error', endedAt: at }))
    }
  }
  dropRetries(t, turn)
}

/** A retry is news only until the next attempt. */
function dropRetries(t: Transcript, turn: Turn): void {
  for (const item of turn.items) if (item.kind === 'retry') t.change(item.key, () => undefined)
}

/** What a failed attempt had streamed and the log did not keep. */
function dropStreams(t: Transcript, turn: Turn, step: number): void {
  const gone = new Set<string>()
  for (const item of turn.items) {
    if (item.step !== step || !('message' in item) || !item.message || !t.streams.has(item.message)) continue
    gone.add(item.message)
    t.change(item.key, () => undefined)
  }
  for (const message of gone) t.close(message, turn)
}

/** A turn that simply ended with an answer needs no words about its end. */
function endSaysSomething(turn: Turn): boolean {
  const end = turn.end
  if (!end) return false
  return end.reason.kind !== 'completed' || end.text !== undefined || end.error !== undefined || !turn.items.some((i) => i.kind === 'reply')
}
