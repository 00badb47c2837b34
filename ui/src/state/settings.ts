// The settings of the host: read by revision, written one key at a time. A write that
// finds another revision reads again and tries once more; the person's word is the newest.

import { signal } from '@preact/signals'
import { Refused, api } from '../http'

export interface Field {
  key: string
  type: 'text' | 'number' | 'whole' | 'switch' | 'duration' | 'list' | 'map' | 'any'
  default?: unknown
  doc?: string
  options?: string[]
}

export interface Section {
  name: string
  doc: string
  fields: Field[]
  values: Record<string, unknown>
  written?: string[]
}

export interface Settings {
  revision: string
  sections: Section[]
  problems?: string[]
}

/** Undefined until read, or where the profile has none. */
export const settings = signal<Settings | undefined>(undefined)

export async function readSettings(): Promise<void> {
  settings.value = await api<Settings>('GET', 'settings')
}

/** Writes keys ("look.theme"); null takes one out, so that its default holds. */
export async function changeSettings(changes: Record<string, unknown>): Promise<void> {
  for (let again = true; ; again = false) {
    if (!settings.peek()) await readSettings()
    try {
      settings.value = await api<Settings>('PATCH', 'settings', { revision: settings.peek()!.revision, changes })
      return
    } catch (e) {
      if (!again || !(e instanceof Refused) || e.code !== 'settings-changed') throw e
      await readSettings()
    }
  }
}
