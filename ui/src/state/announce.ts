// The two live regions of the page. Streamed text never goes here.

import { signal } from '@preact/signals'

export const polite = signal('')
export const assertive = signal('')

let lastPolite = 0
let waiting: ReturnType<typeof setTimeout> | undefined

/** Said when there is a pause; at most one line in seven seconds, the newest wins. */
export function tell(text: string): void {
  clearTimeout(waiting)
  const wait = Math.max(0, lastPolite + 7000 - Date.now())
  waiting = setTimeout(() => { lastPolite = Date.now(); polite.value = text }, wait)
}

/** Said at once: errors, a lost connection, something that waits for the person. */
export function alert(text: string): void { assertive.value = text }
