import '../shell/App' // what the pages share with it is then one file, not one for each pair
// What agents and engines do, live: numbers, and the last hour of each as a line.

import { useRef } from 'preact/hooks'
import { count, list, percent, size, t, word } from '../i18n/t'
import { Header } from '../shell/Header'
import { LinkBar } from '../shell/LinkBar'
import { follow } from '../state/route'
import { useWatched } from '../state/view'
import { Gauge } from './monitor/Gauge'
import type { Point } from './monitor/Gauge'
import { fold } from './monitor/board'
import type { Agent, Board, Engine } from './monitor/board'

export default function Monitor() {
  const frame = useWatched<Board>('monitor').value
  const known = useRef<Board | undefined>(undefined)
  const seen = useRef<Board | undefined>(undefined)
  if (frame && frame !== seen.current) { seen.current = frame; known.current = fold(known.current, frame) }
  return (
    <main class="main" id="main">
      <Header title={t('monitor.title')} where="" />
      <LinkBar session={undefined} />
      <div class="scroll" tabIndex={-1} data-region="transcript"><div class="col monitor" aria-busy={!known.current}>{known.current && <Figures board={known.current} />}</div></div>
    </main>
  )
}

const rate = (n: number) => count(Math.round(n * 10) / 10)

function Figures({ board: b }: { board: Board }) {
  return (
    <>
      <p class="quiet">{t('monitor.about')}</p>
      <div class="gauges">
        {(['running', 'queued', 'writeRate', 'readRate'] as const).map((k) => <Gauge key={k} name={word('monitor', k.replace('Rate', ''))!} value={b.now[k]} points={b.history.map((s): Point => [s.at, s[k]])} say={rate} />)}
      </div>
      <h2>{t('monitor.agents')}</h2>
      {b.agents.length === 0 && <p class="quiet">{t('monitor.no-agents')}</p>}
      <ul>{b.agents.map((a) => <AgentLine key={a.session} agent={a} />)}</ul>
      <h2>{t('monitor.engines')}</h2>
      {b.engines.length === 0 && <p class="quiet">{t('monitor.no-engines')}</p>}
      {b.engines.map((e) => <EngineFigures key={e.name} engine={e} />)}
    </>
  )
}

function AgentLine({ agent: a }: { agent: Agent }) {
  const told = (name: string, n: number, say: (n: number) => string) => (n < 0 ? [] : [name + ': ' + say(n)])
  const facts = [a.state === 'idle' ? t('monitor.idle') : (word('activity', a.activity ?? '') ?? t('activity.working')), ...(a.route ? [a.route] : []), ...told(t('monitor.write'), a.writeRate, rate), ...told(t('monitor.read'), a.readRate, rate), ...told(t('monitor.reuse'), a.reuse, percent)]
  return <li class="board-line"><a href={'/s/' + a.session} onClick={follow({ page: 'session', id: a.session })} dir="auto">{a.title || t('session.untitled')}</a><span class="quiet">{list(facts)}</span></li>
}

function EngineFigures({ engine: e }: { engine: Engine }) {
  const figures = [['write', 'writeRate', rate], ['read', 'readRate', rate], ['slots', 'busy', count], ['waiting', 'waiting', count], ['cache', 'cache', percent], ['memory', 'memory', size]] as const
  return (
    <section aria-label={e.name}>
      <p dir="auto">{e.name}</p>
      <div class="gauges">{figures.map(([name, k, say]) => <Gauge key={k} name={word('monitor', name)!} value={e.now[k]} points={(e.history ?? []).map((s): Point => [s.at, s[k]])} say={say} />)}</div>
    </section>
  )
}
