// What can stand where the person types: the session's commands after a slash, files of
// its folder and other sessions after an at sign.

import { useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { api } from '../http'
import { t } from '../i18n/t'
import { Icon } from '../parts/Icon'
import type { IconName } from '../parts/Icon'
import { write } from '../state/drafts'
import type { Session } from '../state/session'
import { sessions } from '../state/sessions'
import { mentionAt, quotedPath } from './mention'

interface Offer {
  key: string
  icon?: IconName
  name: string
  about?: string
  /** What takes the place of what was typed, from a character of the text on. */
  text: string
  from: number
  /** Nothing more than what stands there already: Enter sends then. */
  done?: boolean
  /** A folder: its files are offered next. */
  more?: boolean
}

interface CompletionState {
  items: Signal<Offer[]>
  at: Signal<number>
  aria: Record<string, unknown>
  look: () => void
  close: () => void
  /** True where the key was taken. */
  key: (e: KeyboardEvent) => boolean
  take: (item: Offer) => void
}

export function useCompletion(session: Session | undefined, field: { current: HTMLTextAreaElement | null }): CompletionState {
  const items = useSignal<Offer[]>([])
  const at = useSignal(0)
  const asked = useRef(0)
  const open = items.value.length > 0
  const close = () => {
    asked.current++
    items.value = []
  }

  const look = () => {
    const el = field.current
    const mine = ++asked.current
    const found = el ? offers(session, el.value, el.selectionStart) : undefined
    if (!found) return close()
    void found.then((all) => {
      if (mine !== asked.current) return
      items.value = all
      at.value = 0
    }, () => { if (mine === asked.current) close() }) // a host without such a view offers nothing
  }
  const take = (item: Offer) => {
    const el = field.current!
    const end = el.selectionStart
    const text = el.value.slice(0, item.from) + item.text + el.value.slice(end)
    const caret = item.from + item.text.length
    // At once, so that what is typed next goes behind it and not before a later move.
    el.value = text
    el.focus()
    el.setSelectionRange(caret, caret)
    write(session?.id ?? '', { text })
    close()
    if (item.more) look()
  }
  const key = (e: KeyboardEvent): boolean => {
    if (!open) return false
    const size = items.value.length
    if (e.key === 'ArrowDown') at.value = (at.value + 1) % size
    else if (e.key === 'ArrowUp') at.value = (at.value + size - 1) % size
    else if (e.key === 'Tab' || (e.key === 'Enter' && !items.value[at.value]!.done)) take(items.value[at.value]!)
    else if (e.key === 'Escape') close()
    else return false
    e.preventDefault()
    e.stopPropagation()
    return true
  }
  const aria = open ? { role: 'combobox', 'aria-expanded': true, 'aria-controls': 'completion', 'aria-activedescendant': 'completion-' + at.value } : {}
  return { items, at, aria, look, close, key, take }
}

const most = 8

/** What fits before the caret; undefined where nothing is being completed. */
function offers(session: Session | undefined, text: string, caret: number): Promise<Offer[]> | undefined {
  const typed = /^\/([\w-]*)$/.exec(text)
  if (typed) {
    return session?.commands().then((all) => all.filter((c) => c.slash?.startsWith(typed[1]!)).slice(0, most)
      .map((c) => ({ key: c.name, name: '/' + c.slash, about: c.summary, text: `/${c.slash} `, from: 0, done: text === '/' + c.slash })))
  }
  const mention = mentionAt(text, caret)
  if (!mention) return undefined
  const { from, words } = mention
  return files(session, words).then((paths) => [
    ...paths.slice(0, most).map((p): Offer => ({ key: p, icon: p.endsWith('/') ? 'folder' : 'file', name: p, from, more: p.endsWith('/'), text: p.endsWith('/') ? '@' + p : '@' + quotedPath(p) + ' ' })),
    ...(words ? (sessions.peek() ?? []) : []).filter((s) => s.id !== session?.id && !s.archived && s.title.toLowerCase().includes(words.toLowerCase())).slice(0, 3)
      .map((s): Offer => ({ key: s.id, icon: 'list', name: s.title, about: t('composer.session'), text: `@[${s.title}](/s/${s.id}) `, from })),
  ])
}

function files(session: Session | undefined, words: string): Promise<string[]> {
  if (!session) return Promise.resolve([])
  return api<{ paths: string[] }>('GET', `sessions/${session.id}/views/paths?q=${encodeURIComponent(words)}`).then((a) => a.paths)
}

export function Completion({ state }: { state: CompletionState }) {
  if (state.items.value.length === 0) return null
  return (
    <div class="completion" id="completion" role="listbox" aria-label={state.items.value[0]!.icon ? t('composer.mentions') : t('composer.commands')}>
      {state.items.value.map((c, i) => (
        <div key={c.key} id={'completion-' + i} class="choice" role="option" aria-selected={i === state.at.value}
          onPointerDown={(e) => { e.preventDefault(); state.take(c) }}>
          {c.icon && <Icon name={c.icon} size={14} class="st-mute" />}<span class="nm" dir="auto">{c.name}</span>{c.about && <span class="ds">{c.about}</span>}
        </div>
      ))}
    </div>
  )
}
