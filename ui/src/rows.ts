// Items → the rows that are drawn: steps in boxes, quiet runs folded, finished turns
// folded. No DOM.

import type { Call, End, Item, Note, Reply, Retry, Said, Thought, Turn } from './items'
import { isConsult, isOpen } from './items'

/** A line of a box of steps. */
export type Step =
  | { kind: 'call'; key: string; call: Call }
  | { kind: 'thought'; key: string; thought: Thought }
  /** Three and more finished look-only steps in a row. */
  | { kind: 'looked'; key: string; calls: Call[] }

export type Row =
  | { kind: 'said'; key: string; item: Said }
  | { kind: 'reply'; key: string; item: Reply }
  | { kind: 'thought'; key: string; item: Thought }
  | { kind: 'steps'; key: string; steps: Step[]; calls: number }
  | { kind: 'ask'; key: string; item: Call }
  | { kind: 'decided'; key: string; item: Call }
  /** A question or a plan, waiting or decided. */
  | { kind: 'consult'; key: string; item: Call }
  | { kind: 'note'; key: string; item: Note }
  | { kind: 'retry'; key: string; item: Retry }
  | { kind: 'end'; key: string; item: End; turn: Turn }
  | { kind: 'folded'; key: string; turn: Turn; open: boolean }

/** The rows of a turn. An ended turn shows its steps only where unfolded is true. */
export function rowsOf(turn: Turn, unfolded: boolean): Row[] {
  if (isOpen(turn) || turn.turn === 0) return group(turn, turn.items)
  const quiet = turn.items.filter((i, at) => foldsAway(turn, i, at))
  if (!quiet.some((i) => i.kind === 'call')) return group(turn, turn.items)
  const fold: Row = { kind: 'folded', key: turn.key + ':fold', turn, open: unfolded }
  const shown = unfolded ? turn.items : turn.items.filter((i) => !quiet.includes(i))
  const opening = shown.findIndex((i) => i.kind !== 'said')
  const at = opening < 0 ? shown.length : opening
  return [...group(turn, shown.slice(0, at)), fold, ...group(turn, shown.slice(at), !unfolded)]
}

/** What a finished turn folds away: all but what was said, the answer, and what went wrong or changed files. */
function foldsAway(turn: Turn, item: Item, at: number): boolean {
  switch (item.kind) {
    case 'thought':
      return true
    case 'reply':
      return turn.items.slice(at + 1).some((i) => i.kind === 'reply' || i.kind === 'call')
    case 'call':
      return item.state === 'done' && !changesFiles(item) && !isConsult(item)
    case 'note':
      return !item.note.level && item.seq < (turn.endSeq ?? Infinity) // what came after its end is news
    default:
      return false
  }
}

export function changesFiles(call: Call): boolean {
  const verb = call.present?.verb
  return verb === 'write' || verb === 'change'
}

/** Puts steps that follow each other into boxes; a person's decisions stand between them, a yes only while the turn is unfolded. */
function group(turn: Turn, items: Item[], folded = false): Row[] {
  const rows: Row[] = []
  let box: Step[] = []
  const close = () => {
    if (box.length === 0) return
    const first = box[0]!
    // A box of thoughts alone is no box: they are lines.
    if (box.every((s) => s.kind === 'thought')) {
      for (const s of box) if (s.kind === 'thought') rows.push({ kind: 'thought', key: s.key, item: s.thought })
    } else {
      rows.push({ kind: 'steps', key: 's:' + first.key, steps: foldLooks(box), calls: box.filter((s) => s.kind === 'call').length })
    }
    box = []
  }
  items.forEach((item, at) => {
    switch (item.kind) {
      case 'call':
        if (item.parent) return // shown inside the call that made it
        if (isConsult(item)) { close(); rows.push({ kind: 'consult', key: item.key, item }); return }
        if (item.state === 'proposed') { close(); rows.push({ kind: 'ask', key: item.key, item }); return }
        if (item.asked && item.decided && !(folded && item.decided.decision === 'approved')) {
          close()
          rows.push({ kind: 'decided', key: item.key + ':decided', item })
          if (item.decided.decision === 'denied' || item.bare) return // the line says it all
        }
        box.push({ kind: 'call', key: item.key, call: item })
        return
      case 'thought': {
        // Between two calls a thought is a line of their box, else it stands alone.
        const next = items[at + 1]
        const inside = box.length > 0 && next?.kind === 'call' && next.state !== 'proposed' && !next.asked && !isConsult(next)
        if (!inside) close()
        if (inside) box.push({ kind: 'thought', key: item.key, thought: item })
        else rows.push({ kind: 'thought', key: item.key, item })
        return
      }
      case 'end':
        close()
        rows.push({ kind: 'end', key: item.key, item, turn })
        return
      default:
        close()
        rows.push({ kind: item.kind, key: item.key, item } as Row)
    }
  })
  close()
  return rows
}

function looks(step: Step): boolean {
  return step.kind === 'call' && step.call.state === 'done' && step.call.present?.looks === true
}

/** Folds runs of three and more finished look-only steps into one. */
function foldLooks(box: Step[]): Step[] {
  const out: Step[] = []
  for (let i = 0; i < box.length;) {
    let end = i
    // Thoughts between two looks belong to the run.
    while (end < box.length && (looks(box[end]!) || (end > i && box[end]!.kind === 'thought' && end + 1 < box.length && looks(box[end + 1]!)))) end++
    const calls = box.slice(i, end).flatMap((s) => (s.kind === 'call' ? [s.call] : []))
    if (calls.length >= 3) {
      out.push({ kind: 'looked', key: 'l:' + calls[0]!.key, calls })
      i = end
    } else {
      out.push(box[i]!)
      i++
    }
  }
  return out
}

/** How many rows a chunk holds; chunks outside the view are taken out whole. */
export const chunkSize = 20

export interface Chunk {
  key: string
  rows: Row[]
  turn: Turn
}

/** Cuts a turn's rows into chunks that keep their keys while older turns are put before them. */
export function chunksOf(turn: Turn, rows: Row[]): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = 0; at < rows.length; at += chunkSize) {
    chunks.push({ key: turn.key + '.' + chunks.length, rows: rows.slice(at, at + chunkSize), turn })
  }
  return chunks
}
