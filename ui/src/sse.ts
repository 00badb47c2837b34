// Server-sent events, read from a fetched body. No DOM.

export interface Frame {
  event: string
  id: string
  data: string
}

/** Takes text as it arrives and gives the frames that are complete. */
export class SseParser {
  private rest = ''
  private event = ''
  private id = ''
  private data: string[] = []

  push(chunk: string): Frame[] {
    const frames: Frame[] = []
    const lines = (this.rest + chunk).split('\n')
    this.rest = lines.pop()!
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
      if (line === '') {
        if (this.event || this.data.length) frames.push({ event: this.event || 'message', id: this.id, data: this.data.join('\n') })
        this.event = ''
        this.data = []
        continue
      }
      const at = line.indexOf(':')
      const field = at < 0 ? line : line.slice(0, at)
      const value = at < 0 ? '' : line.slice(line[at + 1] === ' ' ? at + 2 : at + 1)
      if (field === 'event') this.event = value
      else if (field === 'id') this.id = value
      else if (field === 'data') this.data.push(value)
    }
    return frames
  }
}
