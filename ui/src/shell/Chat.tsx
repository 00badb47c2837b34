// The open session: header, transcript, what waits above the composer, composer.

import { useEffect } from 'preact/hooks'
import { duration, t, word } from '../i18n/t'
import { Composer } from '../chat/Composer'
import { SessionContext } from '../chat/context'
import { showEvent } from '../chat/reach'
import { QueueRows } from '../chat/QueueRows'
import { BypassStrip, WaitBar } from '../chat/Strips'
import { TodoStrip } from '../chat/TodoStrip'
import { Transcript } from '../chat/Transcript'
import { Button, IconButton } from '../parts/Button'
import { Spin } from '../parts/Icon'
import { now } from '../state/clock'
import { host } from '../state/host'
import { isMac } from '../state/keys'
import { models } from '../state/models'
import { session as sessionOf } from '../state/open'
import { go, here, place } from '../state/route'
import type { Session } from '../state/session'
import { markSeen } from '../state/sessions'
import { wordsOf } from '../state/toasts'
import { Export } from './Export'
import { Header } from './Header'
import { LinkBar } from './LinkBar'
import { NeedsModel, Welcome } from './Welcome'

export function Chat({ id }: { id: string }) {
  const session = sessionOf(id)
  useEffect(() => { markSeen(id); return () => markSeen(id) }, [id])
  const ready = session.loading.value.state === 'ready'
  const seq = place.value.page === 'session' ? place.value.seq : undefined
  useEffect(() => { if (ready && seq) void showEvent(session, seq).catch(() => undefined) }, [session, ready, seq])
  const facts = session.facts.value
  return (
    <SessionContext.Provider value={session}>
      <main class="main" id="main">
        <Header title={facts.title || t('session.untitled')} where={homely(facts.folder)}><IconButton icon="list" label={t('events.title')} onClick={() => go({ page: 'events', id })} /><Export session={session} /></Header>
        <LinkBar session={session} />
        <Body key={id} session={session} />
        <Dock session={session} />
      </main>
    </SessionContext.Provider>
  )
}

export function NewChat() {
  return (
    <main class="main" id="main">
      <Header title={t('session.new')} where={homely(host.value?.folder ?? '')} />
      <LinkBar session={undefined} />
      <div class="scroll" data-region="transcript"><div class="col"><Welcome /></div></div>
      <Dock session={undefined} />
    </main>
  )
}

/** A path with ~ for the person's home. */
function homely(path: string): string { return path.replace(/^\/(?:home|Users)\/[^/]+(?=\/|$)/, '~') }

function Body({ session }: { session: Session }) {
  const loading = session.loading.value
  switch (loading.state) {
    case 'ready': return <Transcript session={session} end={<Activity session={session} />} />
    case 'missing': return <Gap title={t('session.missing')}><Button onClick={() => go({ page: 'new' })}>{t('session.new')}</Button></Gap>
    case 'failed': return <Gap title={wordsOf(loading.error).text}><Button onClick={() => void session.open()}>{t('again')}</Button></Gap>
    case 'loading': {
      const took = now.value - loading.since
      return <Gap title={took > 5000 ? t('session.still-loading') : ''}>{took > 300 && <div class="ghosts"><div class="ghost" /><div class="ghost" /><div class="ghost" /></div>}</Gap>
    }
  }
}

function Gap({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return <div class="scroll" data-region="transcript"><div class="col gap"><p>{title}</p>{children}</div></div>
}

/** What goes on when nothing on screen moves: reading the prompt, loading a model, retrying. */
function Activity({ session }: { session: Session }) {
  const s = session.status.value
  void session.version.value
  const last = session.transcript.last?.items.at(-1)
  const visible = last && ((last.kind === 'reply' && last.live) || (last.kind === 'thought' && last.live) || last.kind === 'retry'
    || (last.kind === 'call' && (last.state === 'running' || last.state === 'drafting' || last.state === 'proposed')))
  if (s.state === 'idle' || visible || session.waiting.value.length > 0) return null
  const took = now.value - (s.since ?? now.value)
  return (
    <div class="activity"><Spin /><span>{s.state === 'stopping' ? t('stop.stopping') : (word('activity', s.activity ?? '') ?? t('activity.working'))}</span>{took >= 2000 && <span class="num">{duration(took)}</span>}</div>
  )
}

function Dock({ session }: { session: Session | undefined }) {
  if (models.value?.length === 0) return <div class="dock"><div class="dock-in"><NeedsModel /></div></div>
  return (
    <div class="dock" data-region="composer">
      <div class="dock-in">
        {session && <WaitBar session={session} />}
        <BypassStrip session={session} />
        {session && <TodoStrip session={session} />}
        {session && <QueueRows session={session} />}
        <Composer key={here()} session={session} />
        <div class="hint">{t('composer.hint', { esc: 'Esc', enter: isMac ? '↩' : 'Enter' })}</div>
      </div>
    </div>
  )
}
