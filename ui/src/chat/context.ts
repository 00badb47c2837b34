// What the parts of an open session share.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Session } from '../state/session'

export const SessionContext = createContext<Session | undefined>(undefined)

/** The session a component stands in. */
export function useSession(): Session {
  const s = useContext(SessionContext)
  if (!s) throw new Error('no session around this component')
  return s
}
