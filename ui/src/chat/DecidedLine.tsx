// A decision of the past: one quiet line. Details opens the whole payload as it was.

import { t, tx, word } from '../i18n/t'
import type { Call } from '../items'
import { Mini } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { Clock } from '../parts/Time'
import { firstLine } from '../text'
import { CardPayload } from './CardPayload'
import { isUnfolded, unfold } from './folds'

export function DecidedLine({ item }: { item: Call }) {
  const key = item.key + ':decided'
  const open = isUnfolded(key, false)
  const denied = item.decided?.decision === 'denied'
  return (
    <div class="decided-box">
      <div class="decided">
        <Icon name={denied ? 'bar' : 'check'} size={14} />
        <span class="w">{decidedVerb(item)}</span>
        <code dir="auto" title={item.asked?.card.hero}>{firstLine(item.asked?.card.hero ?? item.present?.what ?? '').line}</code>
        {item.decided?.note && <em dir="auto">{item.decided.note}</em>}
        {item.decided && <Clock at={item.decided.at} />}
        <Mini aria-expanded={open} onClick={() => unfold(key, !open)}>{t('details')}</Mini>
      </div>
      {open && item.asked && <div class="past-card"><CardPayload card={item.asked.card} /></div>}
    </div>
  )
}

function decidedVerb(item: Call): string {
  const d = item.decided
  if (!d) return ''
  if (d.decision === 'approved') return t('decided.approved')
  return word('decided', 'denied-' + d.by) ?? t('decided.denied-mode')
}

/** A whole sentence, for the body of a step. */
export function DecidedWords({ item }: { item: Call }) {
  const d = item.decided
  if (!d) return null
  if (d.decision === 'approved') return <>{t('decided.approved-words')} <Clock at={d.at} /></>
  if (d.by === 'rule') return <>{tx('decided.by-rule', { rule: <em>{d.rule}</em> })}</>
  return <>{word('decided', 'by-' + (d.by === 'mode' && d.mode === 'bypass' ? 'bypass' : d.by)) ?? d.reason}</>
}
