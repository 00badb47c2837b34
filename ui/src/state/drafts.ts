// Drafts: what a person has written and not sent, a session each. They survive
// reload, switching and a failed send, and go only once the server has the message.

import { signal } from '@preact/signals'
import type { Part } from '../wire'

export interface Attachment {
  name: string
  /** Text that goes into the message as a file, or a picture kept by the session. */
  text?: string
  picture?: Part & { url?: string }
}

export interface Draft {
  text: string
  files: Attachment[]
}

const prefix = 'fairlead.draft.'
const empty: Draft = { text: '', files: [] }
const drafts = new Map<string, ReturnType<typeof signal<Draft>>>()

/** The draft of a session; "" is the new one. */
export function draft(session: string): ReturnType<typeof signal<Draft>> & { value: Draft } {
  let d = drafts.get(session)
  if (!d) {
    let kept = empty
    try { kept = { ...empty, ...(JSON.parse(localStorage.getItem(prefix + session) ?? '{}') as Partial<Draft>) } } catch { /* a damaged draft is none */ }
    drafts.set(session, (d = signal<Draft>(kept)))
  }
  return d as never
}

const pending = new Map<string, ReturnType<typeof setTimeout>>()

/** Changes a draft; it is kept at the next pause in typing. */
export function write(session: string, change: Partial<Draft>): void {
  const d = draft(session)
  d.value = { ...d.peek()!, ...change }
  clearTimeout(pending.get(session))
  pending.set(session, setTimeout(() => keep(session), 250))
}

function keep(session: string): void {
  pending.delete(session)
  const d = draft(session).peek()!
  try {
    if (d.text || d.files.length) localStorage.setItem(prefix + session, JSON.stringify(d))
    else localStorage.removeItem(prefix + session)
  } catch { /* the browser's room is full: the draft lives as long as the page */ }
}

/** Takes away what was sent; text written meanwhile stays. */
export function sent(session: string, what: Draft): void {
  const d = draft(session)
  const now = d.peek()!
  d.value = { text: now.text === what.text ? '' : now.text, files: now.files.filter((f) => !what.files.includes(f)) }
  keep(session)
}

addEventListener('pagehide', () => { for (const session of pending.keys()) keep(session) })
