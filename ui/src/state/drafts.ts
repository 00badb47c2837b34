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
    const back = returned(session)
    if (back) giveBack(session, back)
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

// On its way: taken out of the field, kept until the server has it.

const leaving = 'fairlead.leaving.'

/** Takes the draft to be sent. It comes back with [giveBack], also after a reload in between. */
export function take(session: string): Draft {
  const what = draft(session).peek()!
  try { localStorage.setItem(leaving + session, JSON.stringify(what)) } catch { /* then it lives as long as the page */ }
  write(session, empty)
  return what
}

/** The server has it. */
export function sent(session: string): void { localStorage.removeItem(leaving + session) }

/** It was not sent: it stands before what was written meanwhile. */
export function giveBack(session: string, what: Draft): void {
  sent(session)
  const now = draft(session).peek()!
  write(session, { text: [what.text, now.text].filter(Boolean).join('\n'), files: [...what.files, ...now.files] })
}

/** What was on its way when the page was closed. */
function returned(session: string): Draft | undefined {
  const kept = localStorage.getItem(leaving + session)
  if (!kept) return undefined
  try { return { ...empty, ...(JSON.parse(kept) as Partial<Draft>) } } catch { return undefined }
}

addEventListener('pagehide', () => { for (const session of pending.keys()) keep(session) })
