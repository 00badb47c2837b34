// A layer that opens from a button: below or above it, a sheet from the bottom on
// small screens. The browser's own popover gives Esc, light dismissal and the top layer.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

export interface PopoverButton {
  'aria-expanded': boolean
  'aria-haspopup': 'menu' | 'dialog' | 'listbox'
  'aria-controls': string
  onClick: () => void
  ref: (el: HTMLButtonElement | null) => void
}

interface Props {
  label: string
  role: 'menu' | 'dialog' | 'listbox'
  class?: string
  align?: 'start' | 'end'
  button: (props: PopoverButton) => JSX.Element
  children: (close: () => void) => ComponentChildren
}

const gap = 6

export function Popover({ label, role, class: cls, align = 'start', button, children }: Props) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const anchor = useRef<HTMLButtonElement | null>(null)
  const layer = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const el = layer.current
    if (!open || !el) return
    el.showPopover()
    const place = () => { if (anchor.current) setBeside(el, anchor.current, align) }
    place()
    ;(el.querySelector<HTMLElement>('[aria-checked="true"], [autofocus]') ?? el.querySelector<HTMLElement>('button, [tabindex="0"], input, textarea'))?.focus()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }, [open, align])

  const close = () => { layer.current?.hidePopover(); anchor.current?.focus() }
  return (
    <>
      {button({ 'aria-expanded': open, 'aria-haspopup': role, 'aria-controls': id, onClick: () => (open ? close() : setOpen(true)), ref: (el) => { anchor.current = el } })}
      {open && (
        <div ref={layer} id={id} class={['layer', cls].filter(Boolean).join(' ')} popover="auto" role={role} aria-label={label}
          onToggle={(e) => { if (e.newState === 'closed') setOpen(false) }}>
          {children(close)}
        </div>
      )}
    </>
  )
}

/** Puts a layer beside its button, inside the window. Small screens are for the style sheet. */
function setBeside(layer: HTMLElement, button: HTMLElement, align: 'start' | 'end'): void {
  layer.style.cssText = ''
  if (innerWidth < 600) return
  const b = button.getBoundingClientRect(), l = layer.getBoundingClientRect()
  const rtl = getComputedStyle(button).direction === 'rtl'
  const left = (align === 'start') !== rtl ? b.left : b.right - l.width
  const below = innerHeight - b.bottom - gap >= l.height || b.top < innerHeight / 2
  layer.style.left = Math.max(8, Math.min(left, innerWidth - l.width - 8)) + 'px'
  if (below) layer.style.top = b.bottom + gap + 'px'
  else layer.style.bottom = innerHeight - b.top + gap + 'px'
  layer.style.maxHeight = (below ? innerHeight - b.bottom - gap : b.top - gap) - 8 + 'px'
}
