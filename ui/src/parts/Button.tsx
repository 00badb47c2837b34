import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { Icon } from './Icon'
import type { IconName } from './Icon'

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'size'>

/** A button with a word. kind go is the one amber button of an approval; primary is the accent one. */
export function Button({ kind, children, class: cls, ...more }: ButtonProps & { kind?: 'go' | 'primary' | 'text' | 'bad'; children: ComponentChildren }) {
  return <button type="button" class={['btn', kind, cls].filter(Boolean).join(' ')} {...more}>{children}</button>
}

/** A square button that is only an icon; label is its name. */
export function IconButton({ icon, label, size, class: cls, children, ...more }: ButtonProps & { icon: IconName; label: string; size?: number; children?: ComponentChildren }) {
  return <button type="button" class={['icon-btn', cls].filter(Boolean).join(' ')} aria-label={label} title={label} {...more}><Icon name={icon} {...(size && { size })} />{children}</button>
}

/** A small quiet button of bars and footers. */
export function Mini({ icon, children, class: cls, ...more }: ButtonProps & { icon?: IconName; children: ComponentChildren }) {
  return <button type="button" class={['mini', cls].filter(Boolean).join(' ')} {...more}>{icon && <Icon name={icon} size={13} />}<span data-label>{children}</span></button>
}
