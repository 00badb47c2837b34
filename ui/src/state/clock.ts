import { signal } from '@preact/signals'

/** The time in milliseconds, a second at a time, for "8 s" and "4 min ago". It stands still in a hidden tab. */
export const now = signal(Date.now())

function tick(): void { if (document.visibilityState === 'visible') now.value = Date.now() }
setInterval(tick, 1000)
document.addEventListener('visibilitychange', tick)
