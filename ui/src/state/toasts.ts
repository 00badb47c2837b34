import { signal } from '@preact/signals'
import { Refused } from '../http'
import { t, word } from '../i18n/t'

export interface Toast {
  id: number
  text: string
  bad: boolean
  details?: string
}

export const toasts = signal<Toast[]>([])
let next = 1

export function toast(text: string, bad = false, details?: string): void {
  const id = next++
  toasts.value = [...toasts.value.slice(-2), { id, text, bad, ...(details && { details }) }]
  setTimeout(() => dismiss(id), bad ? 12_000 : 4000)
}

export function dismiss(id: number): void { toasts.value = toasts.value.filter((x) => x.id !== id) }

/** What a failed request means to a person. */
export function wordsOf(e: unknown): { text: string; details?: string } {
  if (!(e instanceof Refused)) return { text: t('error.page'), details: String(e) }
  if (e.unreachable) return { text: t('error.unreachable') }
  return { text: word('code', e.code) ?? e.error.message, ...(e.error.details && { details: e.error.details }) }
}

/** Runs something a person asked for; a failure is told, and gives undefined. */
export async function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (e) {
    const { text, details } = wordsOf(e)
    toast(text, true, details)
    return undefined
  }
}
