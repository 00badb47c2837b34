// What a session is like now, beside its transcript: from the snapshot's projections,
// kept up by the events that follow. No DOM.

import type { LogEvent, Queued, TodoItem } from './wire'
import { payload } from './wire'

export type Mode = 'manual' | 'plan' | 'bypass'

export interface Facts {
  title: string
  folder: string
  mode: Mode
  /** A Bypass of an earlier process has ended. */
  lapsed: boolean
  route: string
  effort: string
  queue: Queued[]
  held: boolean
  todo: TodoItem[]
  archived: boolean
  context?: Context
  spent?: Spent
}

/** How full the model's window is; from the projection "context". */
export interface Context {
  used: number
  window: number
  measured: boolean
  soon?: boolean
  /** What fills it, in tokens; they add up to used. */
  parts?: Record<ContextPart, number>
}

export const contextParts = ['system', 'tools', 'files', 'messages', 'results'] as const
export type ContextPart = (typeof contextParts)[number]

/** What the session has cost so far, in US dollars; some of its replies may have no known price. */
export interface Spent { usd?: number; unpriced: number }

export const noFacts: Facts = { title: '', folder: '', mode: 'manual', lapsed: false, route: '', effort: '', queue: [], held: false, todo: [], archived: false }

export function modeOf(word: unknown): Mode {
  return word === 'plan' || word === 'bypass' ? word : 'manual'
}

/** Facts as a snapshot's projections tell them. */
export function factsOf(projections: Record<string, unknown>, folder: string): Facts {
  const of = <T>(name: string) => (projections[name] ?? {}) as Partial<T>
  const meta = of<{ title: string; folder: string; archived: boolean }>('session')
  const mode = of<{ mode: string; lapsed: boolean }>('mode')
  const loop = of<{ route: string; effort: string; costUsd: number; unpriced: number }>('loop')
  const queue = of<{ waiting: Queued[]; held: boolean }>('queue')
  const todo = of<{ items: TodoItem[] | null }>('todo')
  const context = of<Context>('context')
  return {
    title: meta.title ?? '', folder: meta.folder ?? folder, archived: meta.archived ?? false,
    mode: modeOf(mode.mode), lapsed: mode.lapsed ?? false,
    route: loop.route ?? '', effort: loop.effort ?? '',
    queue: queue.waiting ?? [], held: queue.held ?? false, todo: todo.items ?? [],
    ...((loop.costUsd !== undefined || loop.unpriced) && { spent: { ...(loop.costUsd !== undefined && { usd: Number(loop.costUsd) }), unpriced: loop.unpriced ?? 0 } }),
    ...(context.window && context.used !== undefined && { context: context as Context }),
  }
}

/** Facts after an event; the same value where it changes none. */
export function factsAfter(f: Facts, e: LogEvent): Facts {
  const titled = payload(e, 'session/titled')
  if (titled) return { ...f, title: titled.title }
  const model = payload(e, 'model/selected')
  if (model) return { ...f, route: model.route, effort: model.effort ?? '' }
  const archived = payload(e, 'session/archived')
  if (archived) return { ...f, archived: archived.archived }
  const mode = payload(e, 'mode/selected')
  if (mode) return { ...f, mode: modeOf(mode.mode), lapsed: false }
  const measured = payload(e, 'context/measured')
  if (measured) return { ...f, context: { used: measured.tokens, window: measured.window, measured: measured.measured, soon: measured.soon ?? false, parts: measured.parts } }
  const end = payload(e, 'turn/end')
  if (end) {
    if (end.costUsd === undefined && !f.spent) return f
    const { usd, unpriced } = f.spent ?? { unpriced: 0 }
    return { ...f, spent: end.costUsd === undefined ? { ...f.spent!, unpriced: unpriced + 1 } : { usd: (usd ?? 0) + Number(end.costUsd), unpriced } }
  }
  const todo = payload(e, 'todo/written')
  if (todo) return { ...f, todo: todo.items ?? [] }
  const room = payload(e, 'compaction/end')
  if (room) return { ...f, context: { used: room.after, window: room.window, measured: false, soon: room.after >= room.start - room.window / 20, parts: room.parts } }
  const inbox = payload(e, 'inbox/changed')
  if (!inbox) return f
  const ids = inbox.ids ?? []
  const message = inbox.message
  switch (inbox.op) {
    case 'queued':
      return message ? { ...f, queue: [...f.queue.filter((m) => m.id !== message.id), message] } : f
    case 'edited':
      return message ? { ...f, queue: f.queue.map((m) => (m.id === message.id ? { ...m, content: message.content } : m)) } : f
    case 'promoted':
      return { ...f, queue: f.queue.map((m) => (ids.includes(m.id) ? { ...m, delivery: 'steer' } : m)) }
    case 'claimed':
    case 'removed':
      return { ...f, queue: f.queue.filter((m) => !ids.includes(m.id)) }
    case 'held':
    case 'released':
      return { ...f, held: inbox.op === 'held' }
    default:
      return f
  }
}
