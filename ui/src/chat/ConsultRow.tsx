// What the model puts before the person: a card while it waits, one quiet line after.

import { t, tx, word } from '../i18n/t'
import { waitsSince } from '../items'
import type { Call } from '../items'
import { Mini } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { Clock } from '../parts/Time'
import { firstLine } from '../text'
import { isUnfolded, unfold } from './folds'
import { PlanCard, PlanDraft } from './PlanCard'
import { QuestionCard } from './QuestionCard'
import { Markdown } from './ReplyRow'

export function ConsultRow({ item }: { item: Call }) {
  if (item.state === 'drafting') return <PlanDraft item={item} />
  if (waitsSince(item) > 0) return item.question ? <QuestionCard key={item.key} item={item} /> : <PlanCard key={item.key} item={item} />
  return item.question ? <Answered item={item} /> : <Planned item={item} />
}

function Line({ item, no, words, what, at, children }: { item: Call; no: boolean; words: preact.ComponentChildren; what: preact.ComponentChildren; at?: number; children: preact.ComponentChildren }) {
  const key = item.key + ':decided'
  const open = isUnfolded(key, false)
  return (
    <div class="decided-box">
      <div class="decided told">
        <Icon name={no ? 'bar' : 'check'} size={14} />
        <span class="w">{words}</span>
        {what && <em dir="auto">{what}</em>}
        {at && <Clock at={at} />}
        <Mini aria-expanded={open} onClick={() => unfold(key, !open)}>{t('details')}</Mini>
      </div>
      {open && <div class="past-card consulted">{children}</div>}
    </div>
  )
}

function Answered({ item }: { item: Call }) {
  const { question, answered } = item
  const yes = answered?.by === 'person'
  const said = (i: number) => [...(answered?.answers?.[i]?.chosen ?? []), answered?.answers?.[i]?.text].filter(Boolean).join(' · ')
  const all = (question?.questions ?? []).map((q, i) => ({ text: q.text, said: yes ? said(i) || t('question.skipped') : '' }))
  return (
    <Line item={item} no={!yes} words={yes ? t('question.answered') : word('question', answered?.by ?? 'stop')} what={firstLine(yes ? all.map((a) => a.said).join(' · ') : all[0]?.text ?? '').line} {...(answered && { at: answered.at })}>
      <dl>{all.map((a, i) => <div key={i}><dt dir="auto">{a.text}</dt>{a.said && <dd dir="auto">{a.said}</dd>}</div>)}</dl>
    </Line>
  )
}

function Planned({ item }: { item: Call }) {
  const d = item.planned
  const words = d?.decision === 'approved' ? tx('plan.approved', { mode: word('mode', d.mode ?? '') ?? '' }) : word('plan', d?.decision ?? d?.by ?? 'stop')
  return (
    <Line item={item} no={d?.decision !== 'approved'} words={words} what={d?.note || firstLine(item.present?.what ?? '').line} {...(d && { at: d.at })}>
      <Markdown text={item.plan!.text} done />
    </Line>
  )
}
