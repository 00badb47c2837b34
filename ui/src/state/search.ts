// Finding what was said in any session, by the host's own index.

import { signal } from '@preact/signals'
import { api } from '../http'

export interface Hit {
  session: string
  title: string
  folder?: string
  /** 0 where the title was found. */
  seq: number
  who: string
  at: number
  snippet: string
  /** Byte ranges of the snippet that match. */
  marks?: [number, number][]
}

export interface Found {
  words: string
  hits: Hit[]
}

export const found = signal<Found>({ words: '', hits: [] })

let timer: ReturnType<typeof setTimeout> | undefined
let asked = 0

/** Asks at the next pause in typing; only the newest answer counts. */
export function search(words: string, archived: boolean): void {
  clearTimeout(timer)
  const mine = ++asked
  if (words.trim().length < 2) { found.value = { words, hits: [] }; return }
  timer = setTimeout(() => {
    const query = new URLSearchParams({ q: words, limit: '40', ...(archived && { archived: 'true' }) })
    api<{ hits: Hit[] | null }>('GET', 'search?' + query).then(
      (answer) => { if (mine === asked) found.value = { words, hits: answer.hits ?? [] } },
      () => { if (mine === asked) found.value = { words, hits: [] } }, // a host without the index finds titles only
    )
  }, 120)
}
