import '../shell/App' // what the pages share with it is then one file, not one for each pair
// Every event of a session as the log has it: a line each on a band of time, and the
// whole of the one that is chosen.

import { useEffect, useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { clock, count, exactTime, list, t } from '../i18n/t'
import { api } from '../http'
import { Button } from '../parts/Button'
import { CopyButton } from '../parts/CopyButton'
import { Header } from '../shell/Header'
import { follow, go, place } from '../state/route'
import { attempt } from '../state/toasts'
import type { LogEvent, Snapshot } from '../wire'

const pageSize = 300

export default function Events() {
  const p = place.value
  return p.page === 'events' ? <Log key={p.id} id={p.id} seq={p.seq ?? 0} /> : null
}

function Log({ id, seq }: { id: string; seq: number }) {
  const events = useSignal<LogEvent[]>([])
  const title = useSignal('')
  const words = useSignal('')
  const older = async (before: number) => {
    const got = await attempt(api<{ events: LogEvent[] | null }>('GET', `sessions/${id}/events?before=${before}&limit=${pageSize}`))
    if (got) events.value = [...(got.events ?? []), ...events.peek().filter((e) => e.seq >= before)]
  }
  const read = async () => {
    const snapshot = await attempt(api<Snapshot>('GET', 'sessions/' + id))
    if (!snapshot) return
    title.value = (snapshot.projections.session as { title?: string } | undefined)?.title ?? ''
    events.value = []
    await older(snapshot.seq + 1)
    while (seq > 0 && (events.peek()[0]?.seq ?? 1) > seq) await older(events.peek()[0]!.seq)
  }
  useEffect(() => { void read() }, [id])
  const shown = events.value.filter((e) => words.value.toLowerCase().split(/\s+/).every((w) => (e.type + ' ' + JSON.stringify(e.data ?? '')).toLowerCase().includes(w)))
  const chosen = events.value.find((e) => e.seq === seq)
  const first = events.value[0]?.seq ?? 1
  return (
    <main class="main" id="main">
      <Header title={title.value || t('session.untitled')} where={t('events.title')}>
        <a class="btn text" href={'/s/' + id} onClick={follow({ page: 'session', id })}>{t('back')}</a>
      </Header>
      <div class="scroll" tabIndex={-1} data-region="transcript">
        <div class="graph-room"><div class="events">
          <div class="events-bar">
            <input class="field" type="search" aria-label={t('events.filter')} placeholder={t('events.filter')} dir="auto" value={words.value} onInput={(e) => { words.value = e.currentTarget.value }} />
            <span class="quiet num">{t('events.count', { n: shown.length })}</span>
            {first > 1 && <Button kind="text" onClick={() => void older(first)}>{t('events.older')}</Button>}
            <Button kind="text" onClick={() => void read()}>{t('events.again')}</Button>
          </div>
          <Band events={shown} seq={seq} />
          <ol class="event-list">{shown.map((e) => <Line key={e.seq} event={e} on={e.seq === seq} pick={() => go({ page: 'events', id, seq: e.seq }, true)} />)}</ol>
          {chosen && <Inspector event={chosen} />}
        </div></div>
      </div>
    </main>
  )
}

/** Which of the band's four rows an event stands in: the person, the model, tools, the harness. */
function rowOf(e: LogEvent): number {
  const noun = e.type.split('/')[0]!
  if (['user', 'approval', 'question', 'plan', 'inbox', 'mode', 'undo'].includes(noun)) return 0
  if (['assistant', 'request'].includes(noun)) return 1
  return ['tool', 'file', 'job'].includes(noun) ? 2 : 3
}

function Band({ events, seq }: { events: LogEvent[]; seq: number }) {
  if (events.length < 2) return null
  const from = events[0]!.at, span = Math.max(1, events[events.length - 1]!.at - from)
  return (
    <div class="band">
      <svg viewBox="0 0 1000 44" preserveAspectRatio="none" aria-hidden="true">
        {events.map((e) => <rect key={e.seq} class={'row-' + rowOf(e) + (e.seq === seq ? ' on' : '')} x={((e.at - from) / span) * 996} y={rowOf(e) * 11 + 1} width={e.seq === seq ? 4 : 2} height="9" />)}
      </svg>
      <div class="ends num"><span>{clock(from)}</span><span>{clock(from + span)}</span></div>
    </div>
  )
}

function Line({ event: e, on, pick }: { event: LogEvent; on: boolean; pick: () => void }) {
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => { if (on) ref.current?.scrollIntoView({ block: 'nearest' }) }, [on])
  return (
    <li ref={ref} data-seq={e.seq}>
      <button type="button" class={'event-line row-' + rowOf(e)} aria-pressed={on} onClick={pick}>
        <span class="num at">{e.seq}</span><span class="num when">{clock(e.at)}</span><code class="type">{e.type}</code><span class="gist" dir="auto">{JSON.stringify(e.data ?? {}).slice(0, 160)}</span>
      </button>
    </li>
  )
}

function Inspector({ event: e }: { event: LogEvent }) {
  const text = JSON.stringify(e, null, 2)
  return (
    <aside class="inspector" aria-label={t('events.one', { n: count(e.seq) })} data-region="details" data-copy>
      <header><h2>{list([e.type, '#' + e.seq])}</h2><CopyButton text={() => text} /></header>
      <p class="quiet">{list([exactTime(e.at), ...(e.turn ? [t('events.turn', { turn: e.turn, step: e.step ?? 0 })] : [])])}</p>
      <pre class="out" tabIndex={0} role="group" aria-label={t('events.one', { n: count(e.seq) })} dir="ltr">{text}</pre>
    </aside>
  )
}
