// A reply that streams into a session, for the eye and for the bench.

import type { Session } from '../state/session'
import { utf8Length } from '../text'

/** Streams text in so many pieces over so long; leaves the times of the frames in window.streamed. */
export async function streamInto(session: Session, text: string, pieces: number, millis: number): Promise<void> {
  const size = Math.ceil(text.length / pieces)
  const began = performance.now()
  const frames: number[] = []
  let last = began, sent = 0, bytes = 0, done = false
  const frame = (now: number) => {
    frames.push(now - last)
    last = now
    if (!done) requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  while (sent < pieces) {
    await new Promise((r) => setTimeout(r, 4))
    const due = Math.min(pieces, Math.ceil(((performance.now() - began) / millis) * pieces))
    for (; sent < due; sent++) {
      const piece = text.slice(sent * size, (sent + 1) * size)
      session.take({ event: 'live', id: '', data: JSON.stringify({ type: 'delta', data: { message: 'stream', channel: 'text', offset: bytes, text: piece } }) })
      bytes += utf8Length(piece)
    }
  }
  done = true
  Object.assign(window, { streamed: { frames: frames.sort((a, b) => a - b), bytes } })
}
