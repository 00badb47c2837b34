// A radio group in a layer: one of a few, with a sentence each.

import type { ComponentChildren } from 'preact'
import { Icon } from './Icon'
import { Popover } from './Popover'
import type { PopoverButton } from './Popover'

export interface Choice<V extends string> {
  value: V
  name: string
  about?: string
  disabled?: boolean
}

interface Props<V extends string> {
  label: string
  value: V
  choices: Choice<V>[]
  pick: (value: V) => void
  button: (props: PopoverButton) => preact.JSX.Element
  align?: 'start' | 'end'
  more?: (close: () => void) => ComponentChildren
}

export function Choices<V extends string>({ label, value, choices, pick, button, align, more }: Props<V>) {
  return (
    <Popover label={label} role="menu" class="menu" button={button} {...(align && { align })}>
      {(close) => (
        <>
          <div class="menu-title" aria-hidden="true">{label}</div>
          <div role="group" aria-label={label} onKeyDown={moveFocus}>
            {choices.map((c) => (
              <button key={c.value} type="button" class="choice" role="menuitemradio" aria-checked={c.value === value} disabled={c.disabled}
                tabIndex={c.value === value ? 0 : -1} onClick={() => { close(); pick(c.value) }}>
                <Icon name="check" size={14} class={c.value === value ? 'st-run' : 'hide'} />
                <span class="nm">{c.name}</span>
                {c.about && <span class="ds">{c.about}</span>}
              </button>
            ))}
          </div>
          {more?.(close)}
        </>
      )}
    </Popover>
  )
}

/** Arrow keys, Home and End inside a menu. */
export function moveFocus(e: KeyboardEvent): void {
  if (e.isComposing || e.keyCode === 229) return
  const items = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role^="menuitem"], [role="option"]')].filter((i) => !i.hasAttribute('disabled'))
  const at = items.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[e.key]
  if (to === undefined) return
  e.preventDefault()
  items[(to + items.length) % items.length]?.focus()
}
