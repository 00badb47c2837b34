// A link to an event: its row is brought into view and marked for a moment.

import { goTo } from './Transcript'
import { unfold } from './folds'
import type { Item, Turn } from '../items'
import type { Session } from '../state/session'

/** Shows the row of an event; false where the session has no such event. */
export async function showEvent(session: Session, seq: number): Promise<boolean> {
  await session.reach(seq)
  const place = find(session.transcript.turns, seq)
  if (!place) return false
  unfold(place.turn.key, true)
  session.version.value++
  for (let frame = 0; frame < 20; frame++) {
    await new Promise((r) => requestAnimationFrame(r))
    const row = rowOf(place.item)
    if (row) {
      goTo(session.id, row, 'center')
      row.classList.add('sought')
      setTimeout(() => row.classList.remove('sought'), 2500)
      return true
    }
    // Its chunk is not in the page: going there brings it in.
    const chunk = document.querySelector<HTMLElement>(`[data-turn="${CSS.escape(place.turn.key)}"]`)
    if (chunk) goTo(session.id, chunk, 'start')
  }
  return false
}

/** The item an event belongs to: itself, or the last one begun before it in its turn. */
function find(turns: Turn[], seq: number): { turn: Turn; item: Item } | undefined {
  let best: { turn: Turn; item: Item } | undefined
  for (const turn of turns) for (const item of turn.items) if (item.seq <= seq && (!best || item.seq >= best.item.seq)) best = { turn, item }
  return best
}

function rowOf(item: Item): HTMLElement | null {
  const call = item.kind === 'call' && item.call ? document.querySelector<HTMLElement>(`[data-call="${CSS.escape(item.call)}"]`) : null
  return call ?? document.querySelector<HTMLElement>(`[data-row="${CSS.escape(item.key)}"], [data-row$="${CSS.escape(item.key)}"]`)
}
