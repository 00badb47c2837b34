// The shortcuts of the whole page.

import { addShortcuts } from '../state/keys'
import { current } from '../state/open'
import { go, here } from '../state/route'
import { sessions } from '../state/sessions'
import { showAsk } from '../chat/Strips'
import { findOpen, keysOpen } from './layout'

export function pageShortcuts(): () => void {
  return addShortcuts([
    { key: 'k', ctrl: true, says: 'keys.find', run: () => { findOpen.value = !findOpen.value } },
    { key: 'o', ctrl: true, shift: true, says: 'keys.new', run: () => go({ page: 'new' }) },
    { key: '/', ctrl: true, says: 'keys.list', run: () => { keysOpen.value = !keysOpen.value } },
    { key: 'j', alt: true, says: 'keys.next-waiting', run: nextWaiting },
    { key: 'arrowup', alt: true, says: 'keys.previous-message', run: () => step(-1) },
    { key: 'arrowdown', alt: true, says: 'keys.next-message', run: () => step(1) },
    { key: 'f6', inText: true, says: 'keys.region', run: () => region(1) },
    { key: 'f6', shift: true, inText: true, says: 'keys.region-back', run: () => region(-1) },
    { key: '/', says: 'keys.composer', run: () => document.querySelector<HTMLElement>('[data-composer]')?.focus() },
  ])
}

/** The next question: of this session, else of another one. */
function nextWaiting(): void {
  const session = current.peek()
  const calls = session?.waiting.peek() ?? []
  if (session && calls.length > 0) {
    const at = calls.findIndex((c) => document.activeElement?.closest('[data-ask]')?.getAttribute('data-ask') === c.call)
    showAsk(session, calls[(at + 1) % calls.length]!.call ?? '')
    return
  }
  const other = sessions.peek()?.find((s) => s.state === 'waiting' && s.id !== here())
  if (other) go({ page: 'session', id: other.id })
}

/** The previous or next message, as seen from the middle of the view. */
function step(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>('.scroll article')]
  const box = document.querySelector('.scroll')?.getBoundingClientRect()
  if (!box || all.length === 0) return
  const focused = all.findIndex((a) => a.contains(document.activeElement))
  const visible = all.findIndex((a) => a.getBoundingClientRect().bottom > box.top + 8)
  const to = all[focused >= 0 ? focused + by : by > 0 ? visible + 1 : visible - 1]
  if (!to) return
  to.tabIndex = -1
  to.focus()
  to.scrollIntoView({ block: 'nearest' })
}

const regions = ['sessions', 'transcript', 'composer', 'details']

function region(by: 1 | -1): void {
  const there = regions.flatMap((name) => [...document.querySelectorAll<HTMLElement>(`[data-region="${name}"]`)].filter((el) => el.offsetParent !== null).slice(0, 1))
  if (there.length === 0) return
  const at = there.findIndex((el) => el.contains(document.activeElement))
  const to = there[(at + by + there.length) % there.length]!
  const target = to.querySelector<HTMLElement>('[aria-current="page"], textarea') ?? (to.tabIndex >= -1 && to.hasAttribute('tabindex') ? to : to.querySelector<HTMLElement>('a, button'))
  ;(target ?? to).focus()
}
