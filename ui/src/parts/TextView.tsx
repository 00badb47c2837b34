// Plain text, terminal output and source: monospaced, in a box of its own height.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { parseAnsi } from '../ansi'
import { t } from '../i18n/t'
import { highlight } from '../md/highlight'
import { linesOf } from '../text'
import { SpelledText } from './Spelled'

/** Terminal output: colours kept, the rest of its codes dropped. lines > 0 shows only the last ones, with a button for all. */
export function TerminalView({ text, label, last = 0, follow }: { text: string; label: string; last?: number; follow?: boolean }) {
  const [all, setAll] = useState(false)
  const ref = useRef<HTMLPreElement>(null)
  const lines = linesOf(text)
  const cut = last > 0 && !all && lines.length > last
  const shown = cut ? lines.slice(-last).join('\n') : text
  const pieces = useMemo(() => parseAnsi(shown), [shown])
  useEffect(() => {
    const el = ref.current
    if (follow && el && el.scrollHeight - el.scrollTop - el.clientHeight < 80) el.scrollTop = el.scrollHeight
  })
  return (
    <>
      {cut && <button type="button" class="more" onClick={() => setAll(true)}>{t('output.all', { n: lines.length })}</button>}
      <pre ref={ref} class="out" tabIndex={0} role="group" aria-label={label} dir="ltr">{pieces.map((p, i) => (p.style ? <span key={i} class={p.style}>{p.text}</span> : p.text))}</pre>
    </>
  )
}

/** Source or plain text; coloured where the language is known. */
export function SourceView({ text, label, language = '' }: { text: string; label: string; language?: string }) {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    const el = ref.current!
    el.textContent = text
    if (language) void highlight(el, language)
  }, [text, language])
  return <pre class="out" tabIndex={0} role="group" aria-label={label} dir="ltr"><code ref={ref} /></pre>
}

/** Text that is to be approved: whole, wrapped, hidden characters boxed. */
export function WholeText({ text, label, most = 2000, seen }: { text: string; label: string; most?: number; seen?: () => void }) {
  const [all, setAll] = useState(false)
  const lines = linesOf(text)
  const rest = all ? 0 : lines.length - most
  return (
    <>
      <pre class="whole" tabIndex={0} role="group" aria-label={label} dir="ltr"><SpelledText text={rest > 0 ? lines.slice(0, most).join('\n') : text} /></pre>
      {rest > 0 && <button type="button" class="more" onClick={() => { setAll(true); seen?.() }}>{t('diff.rest', { n: rest })}</button>}
    </>
  )
}
