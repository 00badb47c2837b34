// The person's choices for this page. They are kept in this browser and, where the
// server keeps settings, there too, so that the page starts in the right look.

import { effect, signal } from '@preact/signals'
import { nearest, speak } from '../i18n/t'
import type { Language } from '../i18n/t'

export type Theme = 'system' | 'light' | 'dark'

export interface Prefs {
  theme: Theme
  /** Empty: as the browser has it. */
  language: Language | ''
  keepSteps: boolean
  shortcuts: boolean
  sideHidden: boolean
  notify: boolean
}

const key = 'fairlead.prefs'
const root = document.documentElement

function stored(): Prefs {
  const defaults: Prefs = {
    theme: (root.dataset.theme as Theme) || 'system', language: (root.dataset.language as Language) || '',
    keepSteps: false, shortcuts: true, sideHidden: false, notify: false,
  }
  try { return { ...defaults, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Prefs>) } } catch { return defaults }
}

export const prefs = signal<Prefs>(stored())

export function prefer(change: Partial<Prefs>): void {
  prefs.value = { ...prefs.value, ...change }
  localStorage.setItem(key, JSON.stringify(prefs.value))
}

/** Puts look and language into effect, now and at every change; resolves once the language is there. */
export function applyPrefs(): Promise<void> {
  effect(() => {
    const theme = prefs.value.theme
    if (theme === 'system') delete root.dataset.theme
    else root.dataset.theme = theme
  })
  let spoken: Promise<void> = Promise.resolve()
  let last = ''
  effect(() => {
    const wanted = prefs.value.language || nearest(navigator.languages)
    if (wanted !== last) spoken = speak((last = wanted) as Language)
  })
  return spoken.catch(() => undefined) // English stays
}
