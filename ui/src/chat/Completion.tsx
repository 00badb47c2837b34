// What can stand after a slash: the session's commands, as the person types.

import { useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { t } from '../i18n/t'
import { write } from '../state/drafts'
import type { CommandRow, Session } from '../state/session'

interface CompletionState {
  items: Signal<CommandRow[]>
  at: Signal<number>
  aria: Record<string, unknown>
  look: () => void
  close: () => void
  /** True where the key was taken. */
  key: (e: KeyboardEvent) => boolean
  take: (item: CommandRow) => void
}

export function useCompletion(session: Session | undefined, field: { current: HTMLTextAreaElement | null }): CompletionState {
  const items = useSignal<CommandRow[]>([])
  const at = useSignal(0)
  const asked = useRef(0)
  const open = items.value.length > 0
  const close = () => { items.value = [] }

  const look = () => {
    const typed = /^\/([\w-]*)$/.exec(field.current?.value ?? '')
    if (!typed || !session) return close()
    const mine = ++asked.current
    void session.commands().then((all) => {
      if (mine !== asked.current) return
      items.value = all.filter((c) => c.slash?.startsWith(typed[1]!)).slice(0, 8)
      at.value = 0
    })
  }
  const take = (item: CommandRow) => {
    write(session!.id, { text: `/${item.slash} ` })
    close()
    field.current?.focus()
  }
  const key = (e: KeyboardEvent): boolean => {
    if (!open) return false
    const size = items.value.length
    if (e.key === 'ArrowDown') at.value = (at.value + 1) % size
    else if (e.key === 'ArrowUp') at.value = (at.value + size - 1) % size
    else if (e.key === 'Tab' || (e.key === 'Enter' && field.current?.value !== '/' + items.value[at.value]!.slash)) take(items.value[at.value]!)
    else if (e.key === 'Escape') close()
    else return false
    e.preventDefault()
    e.stopPropagation()
    return true
  }
  const aria = open ? { role: 'combobox', 'aria-expanded': true, 'aria-controls': 'completion', 'aria-activedescendant': 'completion-' + at.value } : {}
  return { items, at, aria, look, close, key, take }
}

export function Completion({ state }: { state: CompletionState }) {
  if (state.items.value.length === 0) return null
  return (
    <div class="completion" id="completion" role="listbox" aria-label={t('composer.commands')}>
      {state.items.value.map((c, i) => (
        <div key={c.name} id={'completion-' + i} class="choice" role="option" aria-selected={i === state.at.value}
          onPointerDown={(e) => { e.preventDefault(); state.take(c) }}>
          <span class="nm">/{c.slash}</span><span class="ds">{c.summary}</span>
        </div>
      ))}
    </div>
  )
}
