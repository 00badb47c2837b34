// The conversation. Turns are cut into chunks of rows; chunks far outside the view are
// taken out and their height is kept.

import { memo } from '../parts/memo'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { t } from '../i18n/t'
import type { Turn } from '../items'
import { Button } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { chunksOf, rowsOf } from '../rows'
import type { Chunk, Row } from '../rows'
import { prefs } from '../state/prefs'
import type { Session } from '../state/session'
import { isUnfolded } from './folds'
import { FollowScroll } from './follow'
import { keepSpot, spotOf } from './places'
import { RowView } from './RowView'

/** Rows nearer than this many pixels are in the page. */
const near = 1500

// A turn's chunks, made again only when it changed.
const made = new WeakMap<Turn, { rev: number; open: boolean; chunks: Chunk[] }>()

function chunksFor(turn: Turn, open: boolean): Chunk[] {
  const known = made.get(turn)
  if (known && known.rev === turn.rev && known.open === open) return known.chunks
  const fresh = chunksOf(turn, rowsOf(turn, open))
  // A chunk whose rows are the same keeps its identity, so that it is not drawn again.
  const chunks = fresh.map((c, i) => {
    const old = known?.chunks[i]
    return old && old.key === c.key && sameRows(old.rows, c.rows) ? old : c
  })
  made.set(turn, { rev: turn.rev, open, chunks })
  return chunks
}

function sameRows(a: Row[], b: Row[]): boolean {
  return a.length === b.length && a.every((row, i) => {
    const other = b[i]!
    if (row.kind !== other.kind || row.key !== other.key) return false
    if (row.kind === 'steps' || other.kind === 'steps') return false
    if (row.kind === 'folded') return other.kind === 'folded' && row.open === other.open && row.turn.end === other.turn.end
    return 'item' in row && 'item' in other && row.item === other.item
  })
}

export function Transcript({ session, end }: { session: Session; end: preact.ComponentChildren }) {
  const scroller = useRef<HTMLDivElement>(null)
  const column = useRef<HTMLDivElement>(null)
  const scroll = useRef<FollowScroll | undefined>(undefined)
  const following = useSignal(true)
  const seenItems = useRef(0)

  void session.version.value
  const turns = session.transcript.turns
  const chunks = turns.flatMap((turn) => chunksFor(turn, prefs.value.keepSteps || isUnfolded(turn.key, false)))
  const items = turns.reduce((n, turn) => n + turn.items.length, 0)
  if (following.value) seenItems.current = items

  useLayoutEffect(() => {
    const el = scroller.current!
    const f = new FollowScroll(el, column.current!, (on) => { following.value = on })
    scroll.current = f
    sessionScroll.set(session.id, f)
    const spot = spotOf(session.id)
    const row = spot && el.querySelector<HTMLElement>(`[data-row="${CSS.escape(spot.key)}"]`)
    if (row) f.to(el.scrollTop + row.getBoundingClientRect().top - el.getBoundingClientRect().top - spot.offset)
    else f.toEnd()
    return () => {
      keepSpot(session.id, el, f.following)
      sessionScroll.delete(session.id)
      f.stop()
    }
  }, [session])

  return (
    <div class="scroll" ref={scroller} tabIndex={-1} data-region="transcript" onKeyDown={(e) => { if (e.key === 'End' && e.target === scroller.current) scroll.current?.toEnd() }}>
      <div class="col" ref={column} role="log" aria-label={t('transcript.name')} aria-live="off">
        <Older session={session} scroller={scroller} />
        {chunks.map((c, i) => <ChunkView key={c.key} chunk={c} pinned={i >= chunks.length - 2} scroller={scroller} />)}
        {end}
      </div>
      {!following.value && (
        <div class="newest">
          <Button onClick={() => scroll.current?.toEnd()}><Icon name="newest" size={14} />{items > seenItems.current ? t('transcript.newest-n', { n: items - seenItems.current }) : t('transcript.newest')}</Button>
        </div>
      )}
    </div>
  )
}

/** The scroll owners of the sessions on screen, for what lies outside the transcript. */
const sessionScroll = new Map<string, FollowScroll>()

export function goToEnd(session: string): void { sessionScroll.get(session)?.toEnd() }

/** Shows an element of the transcript without being pulled away again. */
export function goTo(session: string, el: HTMLElement): void {
  sessionScroll.get(session)?.leave()
  el.scrollIntoView({ block: 'nearest' })
}

/** At the top: asks for older events when it comes near. */
function Older({ session, scroller }: { session: Session; scroller: { current: HTMLDivElement | null } }) {
  const ref = useRef<HTMLDivElement>(null)
  const more = session.hasOlder.value
  const first = session.transcript.first
  useEffect(() => {
    if (!more || !ref.current) return
    const io = new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting)) void session.older().catch(() => undefined) },
      { root: scroller.current, rootMargin: near + 'px 0px' })
    io.observe(ref.current)
    return () => io.disconnect()
  }, [more, first, session])
  if (!more) return null
  return <div class="older" ref={ref}>{session.readingOlder.value && <><span class="spin" />{t('transcript.reading-older')}</>}</div>
}

/** A chunk of rows. Out of the page while it is far away, unless something in it is held. */
const ChunkView = memo(function ChunkView({ chunk, pinned, scroller }: { chunk: Chunk; pinned: boolean; scroller: { current: HTMLDivElement | null } }) {
  const ref = useRef<HTMLDivElement>(null)
  const [away, setAway] = useState(0) // its height while it is out
  const [close, setClose] = useState(pinned)
  const estimate = useMemo(() => chunk.rows.length * 56, [])

  useEffect(() => {
    const el = ref.current!
    const io = new IntersectionObserver((seen) => {
      const last = seen[seen.length - 1]!
      if (last.isIntersecting) { setClose(true); return }
      if (isHeld(el)) return
      setAway(el.offsetHeight)
      setClose(false)
    }, { root: scroller.current, rootMargin: near + 'px 0px' })
    io.observe(el)
    return () => io.disconnect()
  }, [])

  const shown = close || pinned || chunk.rows.some(isLive)
  return (
    <div class="chunk" ref={ref} style={shown ? undefined : { height: (away || estimate) + 'px' }}>
      {shown && chunk.rows.map((row) => <RowView key={row.key} row={row} turn={chunk.turn} />)}
    </div>
  )
}, (a, b) => a.chunk === b.chunk && a.pinned === b.pinned)

function isLive(row: Row): boolean {
  return row.kind === 'ask' || (row.kind === 'steps' && row.steps.some((s) => s.kind === 'call' && (s.call.state === 'running' || s.call.state === 'drafting')))
}

/** True where the reader holds something in an element: focus or a selection. */
function isHeld(el: HTMLElement): boolean {
  const selection = getSelection()
  return el.contains(document.activeElement) || (selection !== null && !selection.isCollapsed && selection.containsNode(el, true))
}
