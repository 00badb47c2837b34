// Text that streams in pieces with byte offsets. No DOM.

import { dropBytes, utf8Length } from './text'

/**
 * One channel of a stream. A piece may come twice (live, then from the log, or again
 * after a reconnect) and live pieces may be lost: what is known is dropped, and
 * behind a gap nothing is taken until the log fills it.
 */
export class Channel {
  text = ''
  bytes = 0

  /** Takes a piece; true where it added something. */
  push(offset: number, piece: string): boolean {
    if (offset > this.bytes) return false
    const size = utf8Length(piece)
    if (offset + size <= this.bytes) return false
    const fresh = offset === this.bytes ? piece : dropBytes(piece, this.bytes - offset)
    this.text += fresh
    this.bytes = offset + size
    return fresh !== ''
  }

  /** The last n lines. */
  tail(n: number): string {
    let at = this.text.length
    for (let i = 0; i <= n && at > 0; i++) at = this.text.lastIndexOf('\n', at - 1)
    return at < 0 ? this.text : this.text.slice(at + 1)
  }
}
