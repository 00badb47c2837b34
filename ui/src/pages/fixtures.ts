// Sessions for the gallery, written as the log would have them.

import { factsOf } from '../facts'
import type { Fiber } from '../graph/fiber'
import { Session } from '../state/session'
import type { Card, LogEvent, SessionRow, Status } from '../wire'

/** Writes a log: every method appends events as a host would. */
export class LogWriter {
  readonly events: LogEvent[] = []
  private turn = 0
  private step = 0
  private calls = 0

  constructor(private at: number) {}

  event(type: string, data: unknown, later = 400): this {
    this.at += later
    this.events.push({ seq: this.events.length + 1, at: this.at, type, turn: this.turn, step: this.step, data } as LogEvent)
    return this
  }

  /** A turn begins with what was said. */
  said(text: string): this {
    this.turn++
    this.step = 0
    return this.event('turn/start', { mode: 'manual' }).event('user/message', { id: 'u' + this.turn, content: [{ text }] })
  }

  reply(text: string, more: object = {}): this {
    this.step++
    return this.event('assistant/message', { id: `m${this.turn}.${this.step}`, content: text ? [{ text }] : [], ...more })
  }

  /** A call, as far as it came: with a result it is over. */
  call(present: object, more: { tool?: string; args?: object; result?: object; started?: boolean; asked?: Card; decided?: object; took?: number } = {}): string {
    const call = 'c' + ++this.calls
    this.event('tool/call', { call, caller: 'model', tool: more.tool ?? 'tool', arguments: JSON.stringify(more.args ?? {}), present })
    if (more.asked) this.event('approval/asked', { call, hash: 'h' + call, tool: more.tool ?? 'tool', title: more.asked.title, card: more.asked, cwd: '/work', mode: 'manual', at: this.at })
    if (more.decided) this.event('approval/decided', { call, mode: 'manual', ...more.decided })
    if (more.started || more.result) this.event('tool/started', { call })
    if (more.result) this.event('tool/result', { call, content: [], ...more.result }, more.took ?? 600)
    return call
  }

  /** A question or a plan; with an answer it is over. */
  consult(tool: string, kind: string, data: object, answer?: [string, object]): this {
    const call = this.call({ verb: tool === 'plan' ? 'plan' : 'ask', what: 'Make Append safe' }, { tool, started: true })
    this.event(kind, { call, ...data })
    return answer ? this.event(answer[0], { call, ...answer[1] }).event('tool/result', { call, content: [] }) : this
  }

  progress(call: string, text: string): this { return this.event('tool/progress', { call, offset: 0, text }) }

  end(reason = 'completed', more: object = {}): this {
    return this.event('turn/end', { reason: { kind: reason }, usage: {}, steps: this.step, ms: 64_000, ...more })
  }
}

/** A session that holds a log and is connected to nothing. */
export function fixed(id: string, log: LogWriter, now: { status?: Status; projections?: Record<string, unknown>; title?: string; lost?: boolean } = {}): Session {
  const s = new Session(id)
  for (const e of log.events) s.transcript.event(e)
  s.facts.value = factsOf({ session: { title: now.title ?? id, folder: '/home/kim/work/ledger' }, ...now.projections }, '')
  s.status.value = now.status ?? { state: 'idle' }
  s.loading.value = { state: 'ready' }
  s.link.value = now.lost ? { state: 'lost', since: 1, retryAt: Date.now() + 4000 } : { state: 'live' }
  return s
}

export const text = (t: string) => ({ content: [{ text: t }] })

export const writerDiff = `--- a/internal/store/writer.go
+++ b/internal/store/writer.go
@@ -43,6 +43,8 @@ func (w *Writer) Append(b []byte) error {
     if err != nil {
         return err
     }
-    _, err = w.f.Write(b)
-    return err
+    if _, err := w.f.Write(b); err != nil {
+        return w.rollback(err)
+    }
+    return w.f.Sync()
 }
`

export const changeCard: Card = {
  title: 'change-file', hero: 'internal/store/writer.go', why: 'Append must not report success before the frame is on the disk.',
  facts: [{ key: 'card.inside' }], parts: [{ name: 'change', kind: 'diff', path: 'internal/store/writer.go', text: writerDiff }],
}

export const commandCard = (command: string, more: Partial<Card> = {}): Card => ({
  title: 'run-command', hero: command, facts: [{ key: 'card.network-open' }], parts: [{ name: 'command', kind: 'command', text: command }], ...more,
})

export const testOutput = `$ go test ./internal/store/...
\x1b[32mok\x1b[0m    ledger/internal/store/index     0.214s
--- \x1b[31mFAIL\x1b[0m: TestAppendAfterCrash (0.03s)
    writer_test.go:88: read back 2 events, want 3
    writer_test.go:91: last frame is cut after 117 of 164 bytes
\x1b[31mFAIL\x1b[0m  ledger/internal/store           0.391s
`

const minute = 60_000
const day = 24 * 60 * minute

/** A list with every mark a session can carry. */
export function sessionRows(now: number): SessionRow[] {
  const row = (id: string, title: string, ago: number, more: Partial<SessionRow> = {}): SessionRow => ({ id, title, folder: '/home/kim/work/ledger', state: 'idle', at: now - ago, createdAt: 0, ...more })
  return [
    row('main', 'Make the event log crash-safe', 0, { state: 'waiting' }),
    row('s2', 'Port the importer to streaming', 4 * minute, { state: 'working' }),
    row('s3', 'Why is the nightly report late?', 22 * minute),
    row('s4', 'Rename config keys', 120 * minute),
    row('s5', 'Rename config keys, second try', 130 * minute, { forkOf: 's4' }),
    row('s6', 'Draft the 0.4 release notes', day),
    row('s7', 'Upgrade the sqlite driver', 1.1 * day, { state: 'failed' }),
    row('s8', 'Compare the two parsers', 1.2 * day),
    row('s9', 'Flaky test in the scheduler', 5 * day),
    row('s10', 'Explain the retry code', 6 * day),
  ]
}

/** The main screen of the design: a change waits, a test failed, the person approved a check. */
export function mainLog(now: number): LogWriter {
  const log = new LogWriter(now - 90_000)
  log.said('The log loses the last event when the power goes. Make `Append` safe against a crash and show me the plan first.')
  log.reply('The writer returns as soon as the kernel has the bytes, so a crash can leave half a frame at the end. I will make each `Append` wait for the disk, and cut a torn frame off when the log is opened again.',
    { reasoning: [{ text: 'The rename is atomic but the directory entry is not.\nSo the directory needs a sync as well.' }], thinkMs: 14_000 })
  log.call({ verb: 'read', what: 'internal/store/writer.go', looks: true }, { tool: 'read', args: { path: 'internal/store/writer.go' }, result: { ...text('package store\n'.repeat(86)), view: { kind: 'read', path: 'internal/store/writer.go', lines: 86 } } })
  log.call({ verb: 'run', what: 'go test ./internal/store/...' }, { tool: 'shell', args: { command: 'go test ./internal/store/...' }, result: { ...text(testOutput), failed: true, view: { kind: 'terminal', exitCode: 1 } } })
  log.call({ verb: 'run', what: 'go vet ./...' }, { tool: 'shell', asked: commandCard('go vet ./...'), decided: { decision: 'approved', by: 'person' }, result: { ...text(''), view: { kind: 'terminal', exitCode: 0 } } })
  log.reply('The failing test shows the problem. Here is the change to the writer:')
  log.call({ verb: 'change', what: 'internal/store/writer.go' }, { tool: 'edit', asked: changeCard })
  return log
}

export const mainProjections = {
  mode: { mode: 'manual' }, loop: { route: 'local', effort: 'high' }, context: { used: 40_630, window: 65_536, measured: true, parts: { system: 2100, tools: 4300, files: 15_200, messages: 9030, results: 10_000 } },
  todo: { items: [{ text: 'Read the writer', state: 'done' }, { text: 'Make Append wait for the disk', state: 'doing' }, { text: 'Cut a torn frame off', state: 'open' }] },
}

/** A graph with a part in every state. */
export function fibers(now: number): Fiber[] {
  const part = (path: string, on: Record<string, string> = {}, more: Partial<Fiber> = {}): Fiber => ({
    path, plugin: path, parent: '', realm: '', state: 'active', since: now - 240_000, tookNs: 420_000, starts: 1, doc: 'What ' + path + ' is for.',
    injects: Object.entries(on).map(([key, provider]) => ({ key, ...(provider && { provider }) })), ...more,
  })
  return [
    part('settings', {}, { provides: ['settings.document', 'settings.credentials'] }), part('store', {}, { provides: ['session.store'], holds: ['finish writing'] }), part('tools', {}, { provides: ['tool.registry'] }),
    part('routes', {}, { provides: ['llm.routes'] }), part('sessions', { 'session.store': 'store' }, { provides: ['session.library'] }),
    part('toolbox-files', { 'tool.registry': 'tools' }), part('toolbox-shell', { 'tool.registry': 'tools' }, { state: 'stopping', since: now - 3000 }),
    part('catalog', { 'session.library': 'sessions' }, { state: 'failed', since: now - 20_000, starts: 2, reason: 'The index catalog.db could not be opened: it is a folder. Nothing was changed; move it away and restart this part.' }),
    part('local-servers', { 'llm.routes': 'routes' }, { state: 'starting', since: now - 1000 }), part('agent', { 'session.library': 'sessions', 'llm.routes': 'routes', 'tool.registry': 'tools' }, { provides: ['agent.host'] }),
    part('browser', { 'web.browser': '' }, { state: 'waiting', missing: ['web.browser'], reason: 'waits for web.browser' }), part('server', { 'agent.host': 'agent', 'settings.document': 'settings' }), part('environment'),
  ]
}
