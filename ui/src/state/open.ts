// Which sessions are held open: the one on screen, and the last few, so that going
// back to one is immediate.

import { computed } from '@preact/signals'
import { api } from '../http'
import { Session } from './session'
import { go, here } from './route'

const kept = 3
const opened = new Map<string, Session>()

/** The session with that id, opened. */
export function session(id: string): Session {
  let s = opened.get(id)
  if (s) opened.delete(id) // goes to the end: used last
  else { s = new Session(id); void s.open() }
  opened.set(id, s)
  for (const [old, other] of opened) {
    if (opened.size <= kept) break
    other.close()
    opened.delete(old)
  }
  return s
}

/** Holds a session that was made elsewhere: the gallery's. */
export function adopt(s: Session): void { opened.set(s.id, s) }

/** The session on screen. */
export const current = computed(() => (here() ? session(here()) : undefined))

/** Creates a session and goes there. */
export async function create(choice: { folder?: string; mode?: string; model?: string; effort?: string; preset?: string } = {}): Promise<Session> {
  const { id } = await api<{ id: string }>('POST', 'sessions', choice)
  go({ page: 'session', id })
  return session(id)
}
