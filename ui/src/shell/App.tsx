import { useEffect } from 'preact/hooks'
import { effect } from '@preact/signals'
import { t, word } from '../i18n/t'
import type { Call } from '../items'
import { Toasts } from '../parts/Toasts'
import { alert, assertive, polite, tell } from '../state/announce'
import { current } from '../state/open'
import { prefs } from '../state/prefs'
import { go, place } from '../state/route'
import { waitingCount } from '../state/sessions'
import { Lazy } from './Lazy'
import { Chat, NewChat } from './Chat'
import { Find } from './Find'
import { KeyList } from './KeyList'
import { drawerOpen } from './layout'
import { pageShortcuts } from './shortcuts'
import { Side } from './Side'

export function App() {
  useEffect(pageShortcuts, [])
  useEffect(announcing, [])
  const p = place.value
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.querySelector<HTMLElement>('[data-composer]')?.focus() }}>{t('skip')}</a>
      <div class={'app' + (prefs.value.sideHidden ? ' no-side' : '')}>
        <Side />
        {drawerOpen.value && <div class="scrim" onClick={() => { drawerOpen.value = false }} />}
        {p.page === 'session' && <Chat id={p.id} />}
        {p.page === 'new' && <NewChat />}
        {p.page === 'events' && <Lazy load={() => import('../pages/Events')} />}
        {p.page === 'graph' && <Lazy load={() => import('../pages/Graph')} />}
        {p.page === 'tasks' && <Lazy load={() => import('../pages/Tasks')} />}
        {p.page === 'monitor' && <Lazy load={() => import('../pages/Monitor')} />}
        {p.page === 'settings' && <Lazy load={() => import('../pages/Settings')} />}
        {p.page === 'gallery' && <Lazy load={() => import('../pages/Gallery')} />}
      </div>
      <Find />
      <KeyList />
      <Toasts />
      <div class="sr" role="status" aria-live="polite">{polite.value}</div>
      <div class="sr" role="alert" aria-live="assertive">{assertive.value}</div>
    </>
  )
}

/** Title and live regions: boundaries only, never streamed text. */
function announcing(): () => void {
  let wasRunning = false
  let asked = ''
  const stop = [
    effect(() => {
      const waiting = Math.max(waitingCount.value, current.value?.waiting.value.length ?? 0)
      const title = current.value?.facts.value.title
      document.title = (waiting ? `(${waiting}) ` : '') + (title ? title + ' · ' : '') + 'Fairlead'
    }),
    effect(() => {
      const session = current.value
      if (!session) return
      const running = session.status.value.state === 'running'
      if (running && !wasRunning) tell(t('says.working'))
      if (!running && wasRunning) {
        const last = session.transcript.last?.items.findLast((i) => i.kind === 'reply')
        tell(last?.kind === 'reply' ? t('says.answered', { words: firstSentence(last.text) }) : t('says.ended'))
      }
      wasRunning = running
      const first = session.waiting.value[0]
      const now = first ? first.key + (first.asked?.hash ?? '') : ''
      if (first && now !== asked) {
        const { title, hero } = matterOf(first)
        alert(t('says.asks', { what: (word('asks', title) ?? t('asks.use-tool')) + ' ' + hero }))
        if (prefs.peek().notify && document.visibilityState === 'hidden') notify(session.id, title)
      }
      asked = now
    }),
  ]
  return () => stop.forEach((s) => s())
}

/** What a call that waits is about: a catalog word, and the one line that tells it apart. */
function matterOf(c: Call): { title: string; hero: string } {
  if (c.question) return { title: 'question', hero: c.question.questions?.[0]?.text ?? '' }
  if (c.plan) return { title: 'plan', hero: c.present?.what ?? '' }
  return { title: c.asked?.card.title ?? '', hero: c.asked?.card.hero ?? '' }
}

/** One system notification; it leads to the session and cannot answer. */
function notify(session: string, title: string): void {
  const n = new Notification('Fairlead', { body: word('ask', title) ?? t('ask.use-tool'), tag: session, icon: '/icon.svg' })
  n.onclick = () => { focus(); go({ page: 'session', id: session }); n.close() }
}

function firstSentence(text: string): string {
  return /^[\s\S]{1,200}?[.!?。！？](?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 200)
}
