// What stands above the composer while it holds: Bypass, a question out of view.

import { useEffect } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { t } from '../i18n/t'
import { Mini } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { choose, inForce } from '../state/choice'
import type { Session } from '../state/session'
import { goTo } from './Transcript'

export function BypassStrip({ session }: { session: Session | undefined }) {
  const id = session?.id ?? ''
  if (inForce(id, session?.facts.value ?? { mode: 'manual', route: '', effort: '' } as never).mode !== 'bypass') return null
  return (
    <div class="strip" role="status">
      <Icon name="alert" size={15} />
      <span>{t('bypass.strip')}</span>
      <Mini onClick={() => choose(id, { mode: 'manual' })}>{t('bypass.back')}</Mini>
    </div>
  )
}

/** Brings a waiting card into view and the focus onto its Deny. */
export function showAsk(session: Session, call: string): void {
  const card = document.querySelector<HTMLElement>(`[data-ask="${CSS.escape(call)}"]`)
  if (!card) return
  goTo(session.id, card)
  card.querySelector<HTMLElement>('.deny, [data-first]')?.focus({ preventScroll: true })
}

/** "1 question waits above · Show", while its card is out of view. It leads there and never answers. */
export function WaitBar({ session }: { session: Session }) {
  const waiting = session.waiting.value
  const unseen = useSignal(false)
  const calls = waiting.map((c) => c.call).join()
  useEffect(() => {
    const cards = [...document.querySelectorAll('[data-ask]')]
    if (cards.length === 0) { unseen.value = false; return }
    const seen = new Map<Element, boolean>()
    const io = new IntersectionObserver((entries) => {
      for (const e of entries) seen.set(e.target, e.isIntersecting)
      unseen.value = ![...seen.values()].some(Boolean)
    })
    for (const c of cards) io.observe(c)
    return () => io.disconnect()
  }, [calls])
  if (waiting.length === 0 || !unseen.value) return null
  return (
    <div class="strip" role="status">
      <Icon name="alert" size={15} />
      <span>{t('ask.above', { n: waiting.length })}</span>
      <Mini onClick={() => showAsk(session, waiting[0]!.call ?? '')}>{t('ask.show')}</Mini>
    </div>
  )
}
