// When an approval card may take a press: half a second after it appeared or moved,
// and once its last line has been in view. A press that was meant for something else
// must never say yes.

import { useEffect, useRef, useState } from 'preact/hooks'

const rest = 500
const sampled = 100

export function useSettled(card: { current: HTMLElement | null }) {
  const moved = useRef(performance.now())
  const top = useRef(NaN)
  const end = useRef<HTMLDivElement>(null)
  const [settled, setSettled] = useState(false)
  const [endSeen, setEndSeen] = useState(false)

  const look = () => {
    const now = card.current?.getBoundingClientRect().top ?? NaN
    if (Math.abs(now - top.current) > 2 || Number.isNaN(top.current)) moved.current = performance.now()
    top.current = now
  }
  /** Looks at this very moment: has it stood still for long enough? */
  const steady = () => { look(); return performance.now() - moved.current >= rest }

  useEffect(() => {
    const timer = setInterval(() => { setSettled(steady()) }, sampled)
    return () => clearInterval(timer)
  }, [])

  useEffect(() => {
    if (endSeen || !end.current) return
    // The buttons lie over the lowest strip of the view while the card is taller than it.
    const io = new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting)) setEndSeen(true) },
      { root: card.current?.closest('.scroll') ?? null, rootMargin: '0px 0px -60px 0px' })
    io.observe(end.current)
    return () => io.disconnect()
  }, [endSeen])

  return { settled, endSeen, endRef: end, steady }
}
