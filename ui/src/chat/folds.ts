// What a person opened or folded by hand, by key. It outlives the row, which may be
// taken out of the page while it is far away.

import { signal } from '@preact/signals'

const byHand = signal<ReadonlyMap<string, boolean>>(new Map())

/** Whether something is open: as the person left it, else as given. */
export function isUnfolded(key: string, otherwise: boolean): boolean { return byHand.value.get(key) ?? otherwise }

export function unfold(key: string, open: boolean): void {
  byHand.value = new Map(byHand.value).set(key, open)
}
