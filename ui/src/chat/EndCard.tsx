// How a turn ended, where there is something to say. Never silence.

import { duration, t, word } from '../i18n/t'
import type { End, Turn } from '../items'
import { Button } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { attempt } from '../state/toasts'
import { useSession } from './context'

export function EndCard({ item, turn }: { item: End; turn: Turn }) {
  const session = useSession()
  const { reason, text, key, values, error, ms } = item.end
  const newest = session.transcript.last === turn
  const canGoOn = newest && session.status.value.state === 'idle'
  const goOn = () => void attempt(session.send(t('end.go-on-message')))
  const goOnLarger = () => void attempt(session.command('budget.raise', { text: t('end.go-on-message') }))
  const said = key && word('', key, values)
  if (reason.kind === 'aborted') {
    return <div class="note quiet"><Icon name="stopped" size={14} /><div><span>{reason.by === 'user' || !reason.by ? t('end.stopped', { time: duration(ms) }) : word('end', 'stopped-' + reason.by) ?? t('end.stopped', { time: duration(ms) })}</span></div></div>
  }
  if (reason.kind === 'completed') {
    return <div class="note quiet"><Icon name="list" size={14} /><div><span>{said || text || t('end.no-answer')}</span>{canGoOn && <Button kind="text" onClick={goOn}>{t('end.go-on')}</Button>}</div></div>
  }
  if (reason.kind === 'interrupted') {
    return <div class="note"><Icon name="stopped" size={14} /><div><span>{t('end.interrupted')}</span>{canGoOn && <Button kind="text" onClick={goOn}>{t('end.go-on')}</Button>}</div></div>
  }
  const sentence = said || text || (error && word('failed', error.code)) || error?.message || word('end', reason.kind) || t('end.error')
  return (
    <section class="errorcard" role="group" aria-label={t('end.title')}>
      <Icon name="cross" class="st-bad" />
      <div>
        <p>{sentence}{values?.scope ? ' ' + (word('end', 'scope-' + String(values.scope)) ?? '') : ''}</p>
        {canGoOn && <div class="acts">{reason.kind === 'budget' && key !== 'end.unpriced'
          ? <Button onClick={goOnLarger}>{t('end.go-on-larger')}</Button> : <Button onClick={goOn}>{t('end.again')}</Button>}</div>}
        {error && (
          <details>
            <summary>{t('details')}</summary>
            <pre class="whole" dir="auto">{[error.code, error.message, error.details].filter(Boolean).join('\n')}</pre>
          </details>
        )}
      </div>
    </section>
  )
}
