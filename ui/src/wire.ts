// What travels beside the log's own payloads: answers of the HTTP API, live frames.

import type { AskedData, Event as LogEvent, Part, Payloads, TodoItem } from './wire.gen'

export type * from './wire.gen'
export type { LogEvent }

/** The payload of e where it is of that kind. */
export function payload<K extends keyof Payloads>(e: LogEvent, kind: K): Payloads[K] | undefined {
  return e.type === kind ? (e.data as Payloads[K]) : undefined
}

/** The text of content; pictures are left out. */
export function plain(content: Part[] | null | undefined): string {
  return (content ?? []).map((p) => p.text ?? '').join('')
}

export type SessionState = 'idle' | 'working' | 'waiting' | 'failed'

/** A row of the session list. */
export interface SessionRow {
  id: string
  title: string
  folder: string
  state: SessionState
  at: number
  createdAt: number
  archived?: boolean
  pinned?: boolean
  parent?: string
  forkOf?: string
}

export interface Status {
  state: 'idle' | 'running' | 'stopping'
  turn?: number
  step?: number
  since?: number
  activity?: string
}

/** GET /api/v1/sessions/{id}. */
export interface Snapshot {
  id: string
  seq: number
  hash: string
  header: { folder?: string; preset?: string; parent?: string }
  status: Status
  projections: Record<string, unknown>
  approvals: AskedData[] | null
  /** Another process writes the session: it can be read here. */
  held?: boolean
}

/** A frame that is shown but not logged. */
export interface LiveFrame {
  type: string
  data?: unknown
}

/** What feeds a result's card; its shape is named by kind. */
export type ResultView =
  | { kind: 'terminal'; exitCode?: number; signal?: string; timedOut?: boolean; left?: string[]; dir?: string
      cut?: { total: number; lines: number; shownHead: number; shownTail: number } }
  | { kind: 'read'; path: string; from?: number; to?: number; lines?: number; lang?: string }
  | { kind: 'diff'; path: string; unified: string; added: number; removed: number; isNew?: boolean }
  | { kind: 'search'; matches: number; files: number; truncated?: boolean }
  | { kind: 'files'; count: number; truncated?: boolean }
  | { kind: 'todo'; items: TodoItem[] }
  | { kind: 'text' }

/** An error answer of the API. */
export interface ApiError {
  kind: string
  message: string
  details?: string
  code?: string
}
