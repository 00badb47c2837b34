// The conversation. Turns are cut into chunks of rows; chunks far outside the view are
// taken out and their height is kept.

import { memo } from '../parts/memo'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { t } from '../i18n/t'
import { waitsSince } from '../items'
import type { Turn } from '../items'
import { Button } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { chunksOf, rowsOf } from '../rows'
import type { Chunk, Row } from '../rows'
import { composing } from '../state/keys'
import { prefs } from '../state/prefs'
import type { Session } from '../state/session'
import { isUnfolded } from './folds'
import { FollowScroll } from './follow'
import { keepSpot, spotOf } from './places'
import { RowView } from './RowView'

/** Rows nearer than this many pixels are in the page. */
const near = 1800

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
  const spot = useMemo(() => spotOf(session.id)?.key, [session])

  useLayoutEffect(() => {
    const el = scroller.current!
    const f = new FollowScroll(el, column.current!, (on) => { following.value = on }, () => session.hasOlder.peek())
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
    <div class="scroll" ref={scroller} tabIndex={-1} data-region="transcript" onKeyDown={(e) => { if (e.key === 'End' && e.target === scroller.current) scroll.current?.toEnd(); else foldByKey(e) }}>
      <div class="col" ref={column} role="log" aria-label={t('transcript.name')} aria-live="off">
        <Older session={session} scroller={scroller} />
        {chunks.map((c, i) => <ChunkView key={c.key} id={session.id + ' ' + c.key} chunk={c} pinned={i >= chunks.length - 2} shown={holds(c, spot)} scroller={scroller} />)}
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

/** ← folds and → opens the row that has the focus. */
function foldByKey(e: KeyboardEvent): void {
  const el = e.target as HTMLElement
  const open = el.getAttribute('aria-expanded')
  if (open === null || el.hasAttribute('aria-haspopup') || composing(e)) return
  if ((e.key === 'ArrowRight' && open === 'false') || (e.key === 'ArrowLeft' && open === 'true')) {
    e.preventDefault()
    el.click()
  }
}

/** The scroll owners of the sessions on screen, for what lies outside the transcript. */
const sessionScroll = new Map<string, FollowScroll>()

export function goToEnd(session: string): void { sessionScroll.get(session)?.toEnd() }

/** Shows an element of the transcript without being pulled away again. */
export function goTo(session: string, el: HTMLElement, block: ScrollLogicalPosition = 'nearest'): void {
  sessionScroll.get(session)?.leave()
  el.scrollIntoView({ block })
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

/** True where the reader left off in a chunk. */
function holds(chunk: Chunk, spot: string | undefined): boolean {
  return spot !== undefined && chunk.rows.some((r) => r.key === spot)
}

// The heights chunks had when they were taken out, by session and chunk.
const heights = new Map<string, number>()

interface ChunkProps {
  id: string
  chunk: Chunk
  pinned: boolean
  /** In the page from the start. */
  shown: boolean
  scroller: { current: HTMLDivElement | null }
}

/** A chunk of rows. Out of the page while it is far away, unless something in it is held. */
const ChunkView = memo(function ChunkView({ id, chunk, pinned, shown, scroller }: ChunkProps) {
  const ref = useRef<HTMLDivElement>(null)
  const [close, setClose] = useState(pinned || shown)

  useEffect(() => {
    const el = ref.current!
    const io = new IntersectionObserver((seen) => {
      const last = seen[seen.length - 1]!
      if (last.isIntersecting) { setClose(true); return }
      if (isHeld(el)) return
      heights.set(id, el.offsetHeight)
      setClose(false)
    }, { root: scroller.current, rootMargin: near + 'px 0px' })
    io.observe(el)
    return () => {
      if (el.firstChild) heights.set(id, el.offsetHeight)
      io.disconnect()
    }
  }, [])

  const drawn = close || pinned || chunk.rows.some(isLive)

  // A leap longer than the margin is met in its own frame; the observer is one late.
  useLayoutEffect(() => {
    const box = scroller.current, el = ref.current
    if (drawn || !box || !el) return
    const look = () => {
      const r = el.getBoundingClientRect()
      if (r.bottom > 0 && r.top < innerHeight) setClose(true)
    }
    box.addEventListener('scroll', look, { passive: true })
    return () => box.removeEventListener('scroll', look)
  }, [drawn])
  return (
    <div class="chunk" data-turn={chunk.turn.key} ref={ref} style={drawn ? undefined : { height: (heights.get(id) ?? chunk.rows.length * 56) + 'px' }}>
      {drawn && chunk.rows.map((row) => <RowView key={row.key} row={row} turn={chunk.turn} />)}
    </div>
  )
}, (a, b) => a.chunk === b.chunk && a.pinned === b.pinned)

function isLive(row: Row): boolean {
  return row.kind === 'ask' || (row.kind === 'consult' && waitsSince(row.item) > 0) || (row.kind === 'steps' && row.steps.some((s) => s.kind === 'call' && (s.call.state === 'running' || s.call.state === 'drafting')))
}

/** True where the reader holds something in an element: focus or a selection. */
function isHeld(el: HTMLElement): boolean {
  const selection = getSelection()
  return el.contains(document.activeElement) || (selection !== null && !selection.isCollapsed && selection.containsNode(el, true))
}
