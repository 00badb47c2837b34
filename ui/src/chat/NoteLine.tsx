import { duration, t, word } from '../i18n/t'
import type { Note, Retry } from '../items'
import { Icon, Spin } from '../parts/Icon'
import { now } from '../state/clock'
import { useSession } from './context'

/** A sentence of the product's own: quiet, or in the colour of its level. */
export function NoteLine({ item }: { item: Note }) {
  const { key, values, text, level } = item.note
  return (
    <div class={'note ' + (level || 'quiet')}>
      <Icon name={level ? 'alert' : 'list'} size={14} /><div>
      <span>{(key && word('', key, values ?? {})) || text}</span>
      {item.details && <details><summary>{t('details')}</summary><code dir="auto">{item.details}</code></details>}</div>
    </div>
  )
}

/** An attempt failed and another follows: what happened, and a countdown that Stop ends. */
export function RetryLine({ item }: { item: Retry }) {
  const session = useSession()
  const { attempt } = item
  const left = Math.max(0, item.at + (attempt.waitMs ?? 0) - now.value)
  return (
    <div class="note quiet">
      <Spin /><div>
      <span>{word('retry', attempt.code) ?? t('retry.other')} {left > 0 ? t('retry.in', { time: duration(Math.max(1000, left)) }) : t('retry.now')}</span>
      {session.status.value.state === 'stopping' && <span>{t('stop.stopping')}</span>}
      {attempt.message && <details><summary>{t('details')}</summary><code dir="auto">{attempt.message}</code></details>}</div>
    </div>
  )
}
