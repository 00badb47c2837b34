// The drawing: parts as boxes, a line from each to what stands on it.

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t, word } from '../../i18n/t'
import type { Fiber } from '../../graph/fiber'
import { draw, neighbour } from '../../graph/layout'
import { composing } from '../../state/keys'
import { Ago } from '../../parts/Time'
import { StateMark } from './StateMark'

interface Props {
  fibers: Fiber[]
  /** The path of the part that is open, or ''. */
  chosen: string
  choose: (path: string) => void
}

export function Picture({ fibers, chosen, choose }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(0)
  useLayoutEffect(() => {
    const el = frame.current!
    const measure = () => setRoom(Math.floor(el.clientWidth))
    measure()
    const watch = new ResizeObserver(() => requestAnimationFrame(measure)) // a new height within the same frame would be one too many
    watch.observe(el)
    return () => watch.disconnect()
  }, [])
  const drawing = useMemo(() => draw(fibers, room), [fibers, room])
  const of = new Map(fibers.map((f) => [f.path, f]))
  // One stop of Tab for the whole drawing; the arrows go on from there.
  const [focused, setFocused] = useState('')
  const stop = of.has(focused) ? focused : of.has(chosen) ? chosen : (drawing.boxes[0]?.path ?? '')
  const onKey = (e: KeyboardEvent) => {
    if (composing(e) || e.ctrlKey || e.altKey || e.metaKey) return
    const to = neighbour(drawing.boxes, stop, e.key)
    if (to === undefined) return
    e.preventDefault()
    setFocused(to)
    frame.current?.querySelector<HTMLElement>(`[data-part="${CSS.escape(to)}"]`)?.focus()
  }
  return (
    <div class="drawing" ref={frame} role="group" aria-label={t('graph.drawing')} onKeyDown={onKey}>
      {room > 0 && (
        <div class={'canvas' + (chosen ? ' some' : '')} style={{ height: px(drawing.height) }}>
          <svg width={drawing.width} height={drawing.height} aria-hidden="true">
            {drawing.lines.map((l) => <path key={l.from + ' ' + l.to} d={l.path} class={[l.optional && 'optional', (l.from === chosen || l.to === chosen) && 'on'].filter(Boolean).join(' ')} />)}
          </svg>
          {drawing.boxes.map((b) => {
            const f = of.get(b.path)!
            const state = word('fiber', f.state) ?? f.state
            return (
              <button key={b.path} type="button" class={'part-box ' + f.state} data-part={b.path} tabIndex={b.path === stop ? 0 : -1} aria-pressed={b.path === chosen}
                title={[f.path, f.doc].filter(Boolean).join('\n')}
                style={{ left: px(b.x), top: px(b.y), width: px(b.w), height: px(b.h) }} onFocus={() => setFocused(b.path)} onClick={() => choose(b.path === chosen ? '' : b.path)}>
                <StateMark state={f.state} />
                <span class="nm" dir="ltr">{f.path}</span>
                <span class="ds">{state} <Ago at={f.since} /></span>
                {f.reason && <span class="sr">{f.reason}</span>}
              </button>
            )
          })}
        </div>
      )}
    </div>
  )
}

const px = (n: number) => n + 'px'
