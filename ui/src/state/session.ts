// One open session: snapshot, stream, fold. The page draws what is here.

import { batch, computed, signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { factsAfter, factsOf, noFacts } from '../facts'
import type { Facts, Mode } from '../facts'
import { Transcript, outputKey } from '../fold'
import { Refused, api, command, request } from '../http'
import type { Call } from '../items'
import { waitsSince } from '../items'
import type { Frame } from '../sse'
import type { DeltaData, LiveFrame, LogEvent, Snapshot, Status, ToolProgressData } from '../wire'
import { Follower } from './link'
import type { Link } from './link'
import { patchRow } from './sessions'

/** Events asked for at once when reading backwards. */
const pageSize = 200

/** Events after which the session's row of the list may show another state. */
const stirring = new Set(['approval/asked', 'approval/decided', 'question/asked', 'question/answered', 'plan/proposed', 'plan/decided', 'turn/start', 'turn/end'])

/** A verb the session offers; slash is its name in the composer. */
export interface CommandRow {
  name: string
  slash?: string
  summary: string
}

export type Loading = { state: 'loading'; since: number } | { state: 'ready' } | { state: 'missing' } | { state: 'failed'; error: unknown }

export class Session {
  transcript = new Transcript()
  /** Goes up, at most once a frame, when the transcript changed. */
  readonly version = signal(0)
  readonly loading = signal<Loading>({ state: 'loading', since: Date.now() })
  readonly link = signal<Link>({ state: 'connecting' })
  readonly status = signal<Status>({ state: 'idle' })
  readonly facts = signal<Facts>(noFacts)
  readonly projections = signal<Record<string, unknown>>({})
  /** Another process writes the session. */
  readonly held = signal(false)
  readonly readingOlder = signal(false)
  readonly hasOlder = signal(false)

  /** The calls that wait for the person, in the order asked. */
  readonly waiting = computed<Call[]>(() => {
    void this.version.value
    return this.transcript.turns.flatMap((turn) => turn.items.filter((i): i is Call => i.kind === 'call' && waitsSince(i) > 0))
      .sort((a, b) => waitsSince(a) - waitsSince(b))
  })

  readonly connected = computed(() => this.link.value.state === 'live')

  private follower?: Follower
  private pulses = new Map<string, Signal<number>>()
  private dirty = new Set<string>()
  private frame = 0
  private hash = ''
  private verbs?: Promise<CommandRow[]>

  constructor(readonly id: string) {}

  async open(): Promise<void> {
    try {
      await this.reload()
      this.follow()
    } catch (error) {
      this.loading.value = error instanceof Refused && error.status === 404 ? { state: 'missing' } : { state: 'failed', error }
      if (error instanceof Refused && error.unreachable) this.follow() // it comes back by itself
    }
  }

  close(): void {
    this.follower?.stop()
    cancelAnimationFrame(this.frame)
  }

  retryNow(): void { this.follower?.now() }

  /** Reads snapshot and newest page; what was there is replaced at once, not emptied first. */
  private async reload(): Promise<void> {
    const snapshot = await api<Snapshot>('GET', 'sessions/' + this.id)
    const page = await this.page(snapshot.seq + 1)
    const transcript = new Transcript()
    transcript.onLive = (key) => this.touch(key)
    for (const e of page) transcript.event(e)
    transcript.seq = Math.max(transcript.seq, snapshot.seq)
    batch(() => {
      this.transcript = transcript
      this.hash = snapshot.hash
      this.status.value = snapshot.status
      this.projections.value = snapshot.projections
      this.held.value = snapshot.held ?? false
      this.facts.value = factsOf(snapshot.projections, snapshot.header.folder ?? '')
      this.hasOlder.value = transcript.first > 1
      this.loading.value = { state: 'ready' }
      this.version.value++
    })
  }

  private async page(before: number, limit = pageSize): Promise<LogEvent[]> {
    if (before <= 1) return []
    const answer = await api<{ events: LogEvent[] | null }>('GET', `sessions/${this.id}/events?before=${before}&limit=${limit}`)
    return answer.events ?? []
  }

  /** Reads back until an event is known. */
  async reach(seq: number): Promise<void> {
    while (this.transcript.first > seq && this.hasOlder.peek()) await this.older(Math.max(pageSize, this.transcript.first - seq + 20))
  }

  /** Reads the page before the oldest event known. */
  async older(limit = pageSize): Promise<void> {
    if (this.readingOlder.peek() || !this.hasOlder.peek()) return
    this.readingOlder.value = true
    const transcript = this.transcript
    try {
      const events = await this.page(transcript.first, limit)
      if (transcript !== this.transcript) return
      transcript.older(events)
      this.hasOlder.value = events.length > 0 && transcript.first > 1
      this.version.value++
    } finally {
      this.readingOlder.value = false
    }
  }

  private follow(): void {
    this.follower?.stop()
    let again = false
    this.follower = new Follower({
      open: async (signal) => {
        if (this.loading.peek().state !== 'ready') await this.reload()
        // What is no event may have been missed: running or idle, projections.
        else if (again) void this.refresh()
        again = true
        const id = this.hash && this.transcript.seq ? { 'Last-Event-ID': `${this.transcript.seq}.${this.hash.slice(0, 8)}` } : undefined
        return request('GET', `sessions/${this.id}/events?since=${this.transcript.seq}`, { signal, headers: { Accept: 'text/event-stream', ...id } })
      },
      frame: (f) => this.take(f),
      link: (l) => { this.link.value = l },
    })
  }

  private async refresh(): Promise<void> {
    try {
      const snapshot = await api<Snapshot>('GET', 'sessions/' + this.id)
      this.status.value = snapshot.status
      this.projections.value = snapshot.projections
      if (snapshot.seq <= this.transcript.seq) this.facts.value = factsOf(snapshot.projections, snapshot.header.folder ?? '')
    } catch { /* the stream will say what is wrong */ }
  }

  /** Takes a frame of the stream. */
  take(f: Frame): void {
    if (f.event === 'log') this.event(JSON.parse(f.data) as LogEvent)
    else if (f.event === 'live') this.live(JSON.parse(f.data) as LiveFrame)
    else if (f.event === 'reset') void this.reload().catch(() => undefined)
  }

  private event(e: LogEvent): void {
    if (e.seq <= this.transcript.seq) return
    this.transcript.event(e)
    this.hash = e.h ?? ''
    this.facts.value = factsAfter(this.facts.peek(), e)
    if (e.type === 'turn/start') this.status.value = { state: 'running', turn: e.turn ?? 0, since: e.at }
    if (e.type === 'turn/end') this.status.value = { state: 'idle' }
    if (e.type === 'session/titled') patchRow(this.id, { title: this.facts.peek().title })
    if (stirring.has(e.type)) this.patchState(e.at)
    this.touch('')
  }

  /** The session's own row of the list follows at once. */
  private patchState(at: number): void {
    const waits = this.transcript.turns.some((turn) => turn.items.some((i) => i.kind === 'call' && waitsSince(i) > 0))
    const running = this.status.peek().state !== 'idle'
    const failed = this.transcript.last?.end?.reason.kind === 'error'
    patchRow(this.id, { state: waits ? 'waiting' : running ? 'working' : failed ? 'failed' : 'idle', at })
  }

  private live(f: LiveFrame): void {
    const data = f.data ?? f
    const { turn, step } = this.status.peek()
    if (f.type === 'delta') {
      const d = data as DeltaData & { turn?: number; step?: number }
      this.transcript.delta(d, d.turn ?? turn ?? 0, d.step ?? step ?? 0, Date.now())
    } else if (f.type === 'progress') {
      this.transcript.progress(data as ToolProgressData)
    } else if (f.type === 'status') {
      this.status.value = data as Status
    } else if (f.type === 'state') {
      const { name, value } = data as { name: string; value: unknown }
      this.projections.value = { ...this.projections.peek(), [name]: value }
    }
    this.touch('')
  }

  /** A signal that fires, at most once a frame, when live text of a key grew. */
  pulse(key: string): Signal<number> {
    let p = this.pulses.get(key)
    if (!p) this.pulses.set(key, (p = signal(0)))
    return p
  }

  outputPulse(call: string): Signal<number> { return this.pulse(outputKey(call)) }

  private touch(key: string): void {
    this.dirty.add(key)
    this.frame ||= requestAnimationFrame(() => this.draw())
  }

  private draw(): void {
    this.frame = 0
    const keys = [...this.dirty]
    this.dirty.clear()
    batch(() => {
      this.version.value++
      for (const key of keys) {
        const p = this.pulses.get(key)
        if (p) p.value++
      }
    })
  }

  // What a person does. Each resolves once the server has it.

  async send(text: string, more: { attachments?: unknown[]; delivery?: 'follow-up' | 'steer'; mode?: Mode; model?: string; effort?: string } = {}): Promise<void> {
    await api('POST', `sessions/${this.id}/messages`, { text, ...more })
  }

  async stop(): Promise<void> {
    this.status.value = { ...this.status.peek(), state: 'stopping' }
    await api('POST', `sessions/${this.id}/stop`, {})
  }

  async answer(call: string, hash: string, decision: 'approve' | 'deny', more: { note?: string; rule?: string } = {}): Promise<void> {
    await api('POST', 'approvals/' + call, { session: this.id, decision, hash, ...more })
  }

  /** What can be done by name; read once. */
  commands(): Promise<CommandRow[]> {
    return (this.verbs ??= api<{ commands: CommandRow[] | null }>('GET', `sessions/${this.id}/commands`)
      .then((a) => a.commands ?? [], () => { delete this.verbs; return [] }))
  }

  /** Begins a session that goes on from an event of this one; gives its id. */
  async fork(at?: number): Promise<string> {
    return (await api<{ id: string }>('POST', `sessions/${this.id}/fork`, at === undefined ? {} : { at })).id
  }

  async command(name: string, args: unknown): Promise<unknown> {
    return command(this.id, name, args)
  }
}
