// What the next message will be sent with: mode, model and effort. A choice holds for
// the session until the log says otherwise; Bypass is never remembered.

import { signal } from '@preact/signals'
import type { Facts, Mode } from '../facts'

export interface Choice {
  mode?: Mode
  model?: string
  effort?: string
}

const choices = signal<ReadonlyMap<string, Choice>>(new Map())

/** The choice for a session; "" is the new one. */
export function choiceOf(session: string): Choice { return choices.value.get(session) ?? {} }

export function choose(session: string, change: Choice): void {
  choices.value = new Map(choices.value).set(session, { ...choiceOf(session), ...change })
}

export function forgetChoice(session: string): void {
  const next = new Map(choices.value)
  next.delete(session)
  choices.value = next
}

/** What is in force for the next message. */
export function inForce(session: string, facts: Facts): { mode: Mode; model: string; effort: string } {
  const c = choiceOf(session)
  return { mode: c.mode ?? facts.mode, model: c.model ?? facts.route, effort: c.effort ?? facts.effort }
}
