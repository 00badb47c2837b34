// One step: state, verb, what, size or time. The whole row is a button.

import { duration, list, size, t, word } from '../i18n/t'
import type { Call } from '../items'
import { Icon, Spin } from '../parts/Icon'
import { Running } from '../parts/Time'
import { firstLine, shortPath } from '../text'
import { readDraft } from '../draft'
import { useSession } from './context'
import { isUnfolded, unfold } from './folds'
import { StepBody } from './StepBody'
import { outcomeOf } from './outcome'

export function StepRow({ item, newest }: { item: Call; newest?: boolean }) {
  const session = useSession()
  if (item.state === 'drafting') void session.pulse(item.message ?? '').value
  const open = isUnfolded(item.key, item.state === 'error' && newest === true)
  const { verb, what, full } = namesOf(item, draftText(session, item))
  return (
    <div class={'tool ' + item.state} data-call={item.call}>
      <button type="button" class="line" aria-expanded={open} onClick={() => unfold(item.key, !open)}>
        <StateIcon item={item} />
        <span class="verb"><span class="sr">{word('state', item.state)}: </span>{verb}</span>
        <span class="what" title={full} dir="auto">{what}</span>
        <Outcome item={item} />
        <Icon name={open ? 'down' : 'chevron'} size={14} class="chev" />
      </button>
      {open && <StepBody item={item} />}
    </div>
  )
}

export function draftText(session: ReturnType<typeof useSession>, item: Call): string {
  if (item.state !== 'drafting') return item.arguments
  return session.transcript.streams.get(item.message ?? '')?.calls[item.index ?? 0]?.arguments.text ?? item.arguments
}

/** The words of a row: what is done to what. */
export function namesOf(item: Call, args = item.arguments): { verb: string; what: string; full: string } {
  const p = item.present
  let verb = p ? (word('verb', p.verb) ?? item.tool) : item.tool
  let full = p?.full ?? p?.what ?? ''
  if (!p) {
    full = readDraft(args).what
    verb = item.state === 'drafting' ? t('draft.writing', { tool: item.tool }) : item.tool
  }
  if (item.state === 'running') verb = word('running', p?.verb ?? '') ?? verb
  if (item.state === 'denied') {
    const by = item.result?.deniedBy ?? 'mode'
    verb = by === 'nobody' ? t('denied.nobody') : list2(word('denied', by) ?? t('denied.mode'), verb)
  }
  const what = p?.what ?? firstLine(full).line
  return { verb, what: looksLikePath(p?.verb) ? shortPath(what, 64) : what, full }
}

const list2 = (a: string, b: string) => t('denied.what', { how: a, verb: b })

function looksLikePath(verb?: string): boolean { return verb === 'read' || verb === 'write' || verb === 'change' }

function StateIcon({ item }: { item: Call }) {
  switch (item.state) {
    case 'drafting':
    case 'running': return <Spin />
    case 'queued': return <Icon name="ring" class="st-mute" size={12} />
    case 'done': return <Icon name="check" class="st-ok" />
    case 'error': return <Icon name="cross" class="st-bad" />
    case 'stopped': return <Icon name="stopped" class="st-mute" />
    case 'denied': return <Icon name="bar" class="st-mute" />
    case 'proposed': return <Icon name="alert" class="need" />
  }
}

/** The right end of a row. */
function Outcome({ item }: { item: Call }) {
  const session = useSession()
  switch (item.state) {
    case 'drafting': {
      const d = readDraft(draftText(session, item))
      return <span class="size num">{d.body && list([size(d.bytes), t('size.lines', { n: d.lines })])}</span>
    }
    case 'queued': return <span class="size">{t('step.queued')}</span>
    case 'running': return <span class="size">{item.startedAt && <Running since={item.startedAt} />}</span>
    case 'stopped': {
      const ran = item.startedAt && item.endedAt ? item.endedAt - item.startedAt : 0
      return <span class="size num">{ran >= 1000 ? t('step.stopped-after', { time: duration(ran) }) : t('step.stopped')}</span>
    }
    case 'error': return <span class="size bad num">{outcomeOf(item).short}</span>
    case 'denied': return <span class="size" dir="auto">{item.decided?.note && <em>{item.decided.note}</em>}</span>
    case 'proposed': return <span class="size need">{t('step.proposed')}</span>
    case 'done': return <span class="size num">{outcomeOf(item).short}</span>
  }
}

