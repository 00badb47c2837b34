// What the host says of itself: its version, the folder it was started in.

import { signal } from '@preact/signals'
import { api } from '../http'

export interface Host {
  version: string
  folder?: string
}

export const host = signal<Host | undefined>(undefined)

/** The server runs another version than the page was loaded from. */
export const outdated = signal(false)

export async function readHost(): Promise<void> {
  const before = host.peek()?.version ?? document.documentElement.dataset.version
  try {
    host.value = await api<Host>('GET', 'status')
  } catch {
    return // the connection bar tells
  }
  if (before && host.value?.version && host.value.version !== before) outdated.value = true
}
