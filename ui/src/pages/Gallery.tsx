import '../shell/App' // what the pages share with it is then one file, not one for each pair
// Every component in every state, from logs as a host would write them. #main shows
// the main screen alone, #stream a reply that streams. Sentences of the gallery itself are for the people who build
// the page, and stay English.

import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Composer } from '../chat/Composer'
import { SessionContext } from '../chat/context'
import { Markdown } from '../chat/ReplyRow'
import { QueueRows } from '../chat/QueueRows'
import { RowView } from '../chat/RowView'
import { BypassStrip } from '../chat/Strips'
import { TodoStrip } from '../chat/TodoStrip'
import { Button, IconButton, Mini } from '../parts/Button'
import { rowsOf } from '../rows'
import { Chat } from '../shell/Chat'
import { Header } from '../shell/Header'
import { LinkBar } from '../shell/LinkBar'
import { NeedsModel, Welcome } from '../shell/Welcome'
import { choose } from '../state/choice'
import { models } from '../state/models'
import { adopt } from '../state/open'
import type { Session } from '../state/session'
import { sessions } from '../state/sessions'
import { fibers, fixed, mainLog, mainProjections, sessionRows } from './fixtures'
import { GraphView } from './Graph'
import { scenes } from './scenes'
import { streamInto } from './stream'

export default function Gallery() {
  const now = useMemo(() => Date.now(), [])
  const main = useMemo(() => {
    sessions.value = sessionRows(now)
    models.value = [{ name: 'local', title: 'Local 125B', window: 65_536, efforts: ['low', 'medium', 'high'], default: true }]
    const s = fixed('main', mainLog(now), { status: { state: 'running', turn: 1 }, projections: mainProjections, title: 'Make the event log crash-safe' })
    adopt(s)
    choose('bypass', { mode: 'bypass' })
    return s
  }, [])
  const all = useMemo(() => scenes(now), [])
  if (location.hash === '#stream') return <Stream />
  if (location.hash === '#main') return <Chat id={main.id} />
  return (
    <main class="main" id="main">
      <Header title="Gallery" where="every component, every state" />
      <div class="scroll" tabIndex={-1}>
        <div class="col gallery">
          <Controls />
          {all.map(([name, session]) => <Scene key={name} name={name} session={session} />)}
          <Part name="Markdown, finished"><Markdown text={markdown} done /></Part>
          <Part name="Markdown, streaming"><Markdown text={markdown.slice(0, markdown.indexOf('| 3'))} done={false} /></Part>
          <Part name="Markdown, hostile"><Markdown text={hostile} done /></Part>
          <Docks now={now} />
          <Part name="Graph, live"><GraphView fibers={fibers(now)} /></Part>
          <Part name="No model"><NeedsModel /></Part>
          <Part name="Empty session"><Welcome /></Part>
        </div>
      </div>
    </main>
  )
}

/** #stream: 5,000 pieces of a reply in ten seconds, as a fast server sends them. */
function Stream() {
  const session = useMemo(() => {
    const s = fixed('stream', mainLog(Date.now()), { status: { state: 'running', turn: 1 } })
    adopt(s)
    return s
  }, [])
  useEffect(() => { void streamInto(session, markdown.repeat(20), 5000, 10_000) }, [])
  return <Chat id={session.id} />
}

function Part({ name, children }: { name: string; children: ComponentChildren }) {
  return <section class="part" aria-label={name}><h2>{name}</h2>{children}</section>
}

/** The rows of a session's log. */
function Scene({ name, session }: { name: string; session: Session }) {
  return (
    <SessionContext.Provider value={session}>
      <Part name={name}>
        {session.transcript.turns.flatMap((turn) => rowsOf(turn, false).map((row) => <RowView key={row.key} row={row} turn={turn} />))}
      </Part>
    </SessionContext.Provider>
  )
}

function Controls() {
  return (
    <Part name="Buttons">
      <div class="buttons"><Button kind="go">Approve</Button><Button>Deny</Button><Button kind="primary">Connect</Button><Button kind="bad">Delete</Button><Button kind="text">Not now</Button><Button disabled>Disabled</Button></div>
      <div class="buttons"><IconButton icon="attach" label="Attach" /><IconButton icon="gear" label="Settings" /><Mini icon="copy">Copy</Mini><Mini>Details</Mini></div>
    </Part>
  )
}

function Docks({ now }: { now: number }) {
  const log = useMemo(() => mainLog(now), [])
  const queued = (id: string, text: string, delivery = 'follow-up') => ({ id, content: [{ text }], delivery })
  const states = useMemo((): [string, Session][] => [
    ['Composer, idle', fixed('idle', log, { projections: mainProjections })],
    ['Composer, running with a queue', fixed('queue', log, {
      status: { state: 'running', turn: 1 },
      projections: { ...mainProjections, context: { used: 60_000, window: 65_536, measured: false, soon: true }, queue: { waiting: [queued('a', 'Then write the release note.'), queued('b', 'Use the short form.', 'steer')], held: true } },
    })],
    ['Composer, Bypass', fixed('bypass', log)],
    ['Connection lost', fixed('lost', log, { lost: true })],
  ], [])
  return states.map(([name, s]) => (
    <SessionContext.Provider key={name} value={s}>
      <Part name={name}><LinkBar session={s} /><BypassStrip session={s} /><TodoStrip session={s} /><QueueRows session={s} /><Composer session={s} /></Part>
    </SessionContext.Provider>
  ))
}

const markdown = `## What holds

A reply with **bold**, *italic*, \`code\`, ~~old~~ and a [link](https://example.org/path). It costs $5 or $10.

- one
- two
  - two and a half
- [x] done
- [ ] open

> A quoted line.

| # | what | size |
|--:|------|------|
| 1 | a small table | 12 KB |
| 2 | that wraps when there is little room | 1.2 MB |
| 3 | and ends | 3 B |

\`\`\`go
// Append waits for the disk.
func (w *Writer) Append(b []byte) error {
	if _, err := w.f.Write(b); err != nil {
		return w.rollback(err)
	}
	return w.f.Sync()
}
\`\`\`

![A diagram](https://example.org/diagram.png)

1. first
2. second
`

const hostile = `<script>alert(1)</script> <img src=x onerror="alert(1)"> [js](javascript:alert(1)) [data](data:text/html,x)

<section class="ask"><header>Waiting for you: change a file</header><button class="btn go">Approve</button></section>

<style>body{display:none}</style><iframe src="https://example.org"></iframe>
`
