// The keyboard list: what it shows and what it does are one table.

import { signal } from '@preact/signals'
import type { PlainKey } from '../i18n/t'
import { prefs } from './prefs'

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

export interface Shortcut {
  /** As event.key in lower case; letters follow the layout in use. */
  key: string
  ctrl?: boolean
  shift?: boolean
  alt?: boolean
  /** Also while a text field has the focus. */
  inText?: boolean
  says: PlainKey
  run: () => void
}

const shortcuts = signal<Shortcut[]>([])

/** Registers shortcuts; the result takes them away. */
export function addShortcuts(list: Shortcut[]): () => void {
  shortcuts.value = [...shortcuts.peek(), ...list]
  return () => { shortcuts.value = shortcuts.peek().filter((s) => !list.includes(s)) }
}

export function shortcutList(): Shortcut[] { return shortcuts.value }

export function isTyping(target: EventTarget | null): boolean {
  const el = target as HTMLElement | null
  return !!el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName))
}

/** True while an input method composes: then no key is ours. */
export function composing(e: KeyboardEvent): boolean { return e.isComposing || e.keyCode === 229 }

addEventListener('keydown', (e) => {
  if (composing(e) || e.defaultPrevented || !prefs.peek().shortcuts) return
  const ctrl = isMac ? e.metaKey : e.ctrlKey
  const alt = isMac ? e.ctrlKey : e.altKey
  const found = shortcuts.peek().findLast((s) => s.key === e.key.toLowerCase() && !!s.ctrl === ctrl && !!s.alt === alt
    && (!!s.shift === e.shiftKey || s.key === '/') && (s.inText || s.ctrl || s.alt || !isTyping(e.target)))
  if (!found) return
  e.preventDefault()
  found.run()
})

/** "Ctrl Shift O", or the Mac's signs. */
export function keyNames(s: Pick<Shortcut, 'key' | 'ctrl' | 'shift' | 'alt'>): string {
  const key = { arrowup: '↑', arrowdown: '↓', arrowleft: '←', arrowright: '→', escape: 'Esc', enter: 'Enter' }[s.key] ?? (s.key.length === 1 ? s.key.toUpperCase() : s.key[0]!.toUpperCase() + s.key.slice(1))
  if (isMac) return (s.alt ? '⌃' : '') + (s.shift ? '⇧' : '') + (s.ctrl ? '⌘' : '') + key
  return [s.ctrl && 'Ctrl', s.alt && 'Alt', s.shift && 'Shift', key].filter(Boolean).join(' ')
}
