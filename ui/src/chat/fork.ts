// Going on from an earlier place: the session stays as it is, a new one goes on from there.

import { write } from '../state/drafts'
import { go } from '../state/route'
import type { Session } from '../state/session'
import { attempt } from '../state/toasts'

/** Goes to a session that goes on from an event of this one. */
export async function forkHere(session: Session, at: number): Promise<string | undefined> {
  const id = await attempt(session.fork(at))
  if (id) go({ page: 'session', id })
  return id
}

/** Says a message differently: a fork from before it, with its words in the composer. */
export async function again(session: Session, before: number, text: string): Promise<void> {
  const id = await forkHere(session, before)
  if (id) write(id, { text })
}
