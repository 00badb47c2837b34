// The line above or below every payload: part, kind, size, and whatever is unusual.

import type { ComponentChildren } from 'preact'
import { list, size, t, word } from '../i18n/t'
import type { Content } from '../labels'

/** "terminal output (242 chars, 5 lines)". */
export function describe(c: Content): string {
  const name = c.kind === 'source' ? t('kind.source', { language: c.language ?? '' }) : (word('kind', c.kind) ?? '')
  if (c.kind === 'empty') return name
  const chars = c.chars >= 100_000 ? size(c.chars) : t('size.chars', { n: c.chars })
  return t('label.sized', { kind: name, size: list([chars, t('size.lines', { n: c.lines })]) })
}

export function Label({ part, what, more, children }: { part: string; what: string; more?: string[]; children?: ComponentChildren }) {
  return (
    <div class="label">
      <b>{word('part', part) ?? part}</b>
      <span>{list([what, ...(more ?? [])])}</span>
      {children && <span class="acts">{children}</span>}
    </div>
  )
}
