// The list of sessions, followed as a view of the host; the open session keeps its own
// row ahead of it.

import { computed, signal } from '@preact/signals'
import { api, request } from '../http'
import type { SessionRow } from '../wire'
import { Follower } from './link'
import type { Link } from './link'
import { readHost } from './host'
import { here } from './route'

export const sessions = signal<SessionRow[] | undefined>(undefined)

/** Sessions that finished something the person has not looked at: id → time last seen. */
const seenKey = 'fairlead.seen'
const seen = signal<Record<string, number>>(readSeen())

function readSeen(): Record<string, number> {
  try { return JSON.parse(localStorage.getItem(seenKey) ?? '{}') as Record<string, number> } catch { return {} }
}

export function markSeen(id: string): void {
  if (!id || document.visibilityState !== 'visible') return
  const row = sessions.peek()?.find((s) => s.id === id)
  const at = Math.max(Date.now(), row?.at ?? 0)
  seen.value = { ...seen.peek(), [id]: at }
  localStorage.setItem(seenKey, JSON.stringify(seen.peek()))
}

/** True where a session has news: it worked after the person last looked. */
export function isUnread(row: SessionRow): boolean {
  if (row.id === here() || row.state === 'working' || row.state === 'waiting') return false
  const at = seen.value[row.id]
  return at !== undefined && row.at > at
}

export const waitingCount = computed(() => (sessions.value ?? []).filter((s) => s.state === 'waiting').length)
export const unreadCount = computed(() => (sessions.value ?? []).filter(isUnread).length)

/** The connection that keeps the list fresh. */
export const listLink = signal<Link>({ state: 'connecting' })

let follower: Follower | undefined

export function retryList(): void { follower?.now() }

/** Follows the list for as long as the page is open. */
export function watchSessions(): void {
  follower = new Follower({
    open: (signal) => request('GET', 'views/sessions', { signal, headers: { Accept: 'text/event-stream' } }),
    frame: (f) => { if (f.event === 'view') sessions.value = (JSON.parse(f.data) as { sessions: SessionRow[] | null }).sessions ?? [] },
    link: (l) => {
      if (l.state === 'live') void readHost() // it may have been updated meanwhile
      listLink.value = l
    },
  })
}

/** Changes one row as the open session knows it better. */
export function patchRow(id: string, change: Partial<SessionRow>): void {
  const rows = sessions.peek()
  const row = rows?.find((r) => r.id === id)
  if (!rows || !row) return
  if ((Object.keys(change) as (keyof SessionRow)[]).every((k) => row[k] === change[k])) return
  sessions.value = rows.map((r) => (r.id === id ? { ...r, ...change } : r))
}

export async function rename(id: string, title: string): Promise<void> {
  await api('PATCH', 'sessions/' + id, { title })
  patchRow(id, { title })
}

export async function archive(id: string, archived: boolean): Promise<void> {
  await api('PATCH', 'sessions/' + id, { archived })
  patchRow(id, { archived })
}

export async function remove(id: string): Promise<void> {
  await api('DELETE', 'sessions/' + id)
  sessions.value = sessions.peek()?.filter((r) => r.id !== id)
}
