// A stream that is followed for good: heartbeats are watched, a lost stream is opened
// again, and the person is told only when it lasts.

import { SseParser } from '../sse'
import type { Frame } from '../sse'
import { Refused } from '../http'

export type Link =
  | { state: 'connecting' }
  | { state: 'live' }
  /** Lost since then; tried again at retryAt (Unix milliseconds). */
  | { state: 'lost'; since: number; retryAt: number }
  /** The token is not taken any more. */
  | { state: 'refused' }

const deadAfter = 40_000 // the server beats every 15 s
const doubtfulAfter = 20_000 // when the tab comes back
const waits = [500, 1000, 2000, 4000, 8000]

export interface Follow {
  open(signal: AbortSignal): Promise<Response>
  frame(f: Frame): void
  link(l: Link): void
}

/** Follows until stop is called. */
export class Follower {
  private stopped = false
  private current?: AbortController
  private beat = Date.now()
  private wake?: () => void
  private watch: ReturnType<typeof setInterval>

  constructor(private follow: Follow) {
    this.watch = setInterval(() => this.judge(deadAfter), 5000)
    document.addEventListener('visibilitychange', this.seen)
    addEventListener('online', this.now)
    void this.run()
  }

  stop(): void {
    this.stopped = true
    clearInterval(this.watch)
    document.removeEventListener('visibilitychange', this.seen)
    removeEventListener('online', this.now)
    this.current?.abort()
    this.wake?.()
  }

  /** Tries again at once. */
  now = (): void => this.wake?.()

  private seen = (): void => {
    if (document.visibilityState !== 'visible') return
    this.judge(doubtfulAfter)
    this.now()
  }

  private judge(limit: number): void {
    if (Date.now() - this.beat > limit) this.current?.abort()
  }

  private async run(): Promise<void> {
    this.follow.link({ state: 'connecting' })
    for (let failures = 0, since = 0; !this.stopped;) {
      this.current = new AbortController()
      try {
        this.beat = Date.now()
        const answer = await this.follow.open(this.current.signal)
        this.beat = Date.now()
        failures = since = 0
        this.follow.link({ state: 'live' })
        await this.read(answer)
      } catch (e) {
        if (this.stopped) return
        if (e instanceof Refused && e.status === 401) return this.follow.link({ state: 'refused' })
      }
      if (this.stopped) return
      since ||= Date.now()
      const wait = waits[Math.min(failures++, waits.length - 1)]!
      this.follow.link({ state: 'lost', since, retryAt: Date.now() + wait })
      await new Promise<void>((done) => {
        const timer = setTimeout(done, wait)
        this.wake = () => { clearTimeout(timer); done() }
      })
      this.wake = undefined
    }
  }

  private async read(answer: Response): Promise<void> {
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    const parser = new SseParser()
    for (;;) {
      const { value, done } = await reader.read()
      if (done || this.stopped) return
      this.beat = Date.now()
      for (const frame of parser.push(value)) this.follow.frame(frame)
    }
  }
}
