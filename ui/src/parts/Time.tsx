import { ago, clock, duration, exactTime } from '../i18n/t'
import { now } from '../state/clock'

/** "4 min", and the exact time in the title. */
export function Ago({ at }: { at: number }) {
  return <time class="num" dateTime={new Date(at).toISOString()} title={exactTime(at)}>{ago(at, now.value)}</time>
}

/** "14:02", and the exact time in the title. */
export function Clock({ at }: { at: number }) {
  return <time class="num" dateTime={new Date(at).toISOString()} title={exactTime(at)}>{clock(at)}</time>
}

/** How long something has run, from two seconds on. */
export function Running({ since }: { since: number }) {
  const millis = now.value - since
  return millis < 2000 ? null : <span class="num">{duration(millis)}</span>
}
