// Which models there are. An empty list means that Fairlead needs one.

import { signal } from '@preact/signals'
import { api } from '../http'

export interface ModelRow {
  name: string
  title?: string
  window?: number
  efforts?: string[]
  pictures?: boolean
  default?: boolean
}

/** What the settings should begin to connect: a kind of server; '' for nothing. */
export const connectAs = signal<'' | 'local' | 'openai'>('')

/** Undefined until read. */
export const models = signal<ModelRow[] | undefined>(undefined)

export async function readModels(): Promise<void> {
  try {
    const answer = await api<{ models?: ModelRow[] | null } | ModelRow[]>('GET', 'views/models')
    models.value = Array.isArray(answer) ? answer : (answer.models ?? [])
  } catch {
    models.value = undefined // a host without this view chooses for itself
  }
}

/** The model a session uses: the one named, else the default one. */
export function modelOf(name: string): ModelRow | undefined {
  const all = models.value ?? []
  return all.find((m) => m.name === name) ?? (name ? undefined : (all.find((m) => m.default) ?? all[0]))
}
