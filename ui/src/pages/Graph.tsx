import '../shell/App' // what the pages share with it is then one file, not one for each pair
// What the process consists of now, drawn and as a list. The host is the truth: every
// change of it comes by itself.

import { useEffect } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { count, list, t, word } from '../i18n/t'
import { byUrgency, fits } from '../graph/fiber'
import type { Fiber, FiberState } from '../graph/fiber'
import { Header } from '../shell/Header'
import { LinkBar } from '../shell/LinkBar'
import { tell } from '../state/announce'
import { useWatched } from '../state/view'
import { Picture } from './graph/Picture'
import { PartRow } from './graph/PartRow'

export default function Graph() {
  const fibers = useWatched<Fiber[]>('graph')
  return (
    <main class="main" id="main">
      <Header title={t('graph.title')} where="" />
      <LinkBar session={undefined} />
      <div class="scroll" tabIndex={-1} data-region="transcript">{fibers.value ? <GraphView fibers={fibers.value} /> : <div class="col" aria-busy="true" />}</div>
    </main>
  )
}

/** Drawing and list; what is chosen in one is open in the other. */
export function GraphView({ fibers }: { fibers: Fiber[] }) {
  const chosen = useSignal('')
  const words = useSignal('')
  const of = fibers.find((f) => f.path === chosen.value)
  useEffect(() => { if (of) tell(list([of.path, word('fiber', of.state) ?? of.state])) }, [of?.path, of?.state])
  const choose = (path: string) => {
    chosen.value = path
    if (path) words.value = ''
  }
  const shown = byUrgency(fibers).filter((f) => fits(f, words.value))
  return (
    <div class="graph-room"><div class="graph">
      <p class="graph-sum">{summary(fibers)}<span class="quiet">{t('graph.about')}</span></p>
      <Picture fibers={fibers} chosen={chosen.value} choose={choose} />
      <section class="parts" aria-label={t('graph.list')}>
        <input class="field" type="search" aria-label={t('graph.filter')} placeholder={t('graph.filter')} dir="auto" value={words.value} onInput={(e) => { words.value = e.currentTarget.value }} />
        <ul>{shown.map((f) => <PartRow key={f.path} fiber={f} all={fibers} open={f.path === chosen.value} choose={choose} />)}</ul>
        {shown.length === 0 && <p class="hint-text">{t('graph.none')}</p>}
      </section>
    </div></div>
  )
}

/** "24 parts: 22 active, 1 waits, 1 failed". */
function summary(fibers: Fiber[]) {
  const states: FiberState[] = ['failed', 'waiting', 'starting', 'stopping', 'stopped', 'active']
  const parts = states.flatMap((s) => {
    const n = fibers.filter((f) => f.state === s).length
    return n ? [<span key={s} class={'in-state ' + s}>{count(n)} {word('fiber', s)}</span>] : []
  })
  return <><b>{t('graph.count', { n: fibers.length })}</b>{parts}</>
}
