// A unified diff as a table. Wrapping, never scrolling sideways, where it is to be
// approved; nothing in it is interpreted.

import { useMemo, useState } from 'preact/hooks'
import { parseDiff } from '../diff'
import type { Hunk } from '../diff'
import { t } from '../i18n/t'
import { SpelledLine } from './Spelled'

const signs = { ' ': ' ', '+': '+', '-': '−' }
const rowClass = { ' ': '', '+': 'p', '-': 'd' }

/** most bounds the lines drawn at first; seen is told once all of them are. */
export function DiffView({ unified, label, most = 2000, seen }: { unified: string; label: string; most?: number; seen?: () => void }) {
  const diff = useMemo(() => parseDiff(unified), [unified])
  const [all, setAll] = useState(false)
  let left = all ? Infinity : most
  return (
    <div class="diff" tabIndex={0} role="group" aria-label={label}>
      <table>
        <tbody>
          {diff.hunks.map((h, i) => {
            const lines = h.lines.slice(0, Math.max(0, left))
            left -= h.lines.length
            return lines.length > 0 && <HunkRows key={i} hunk={h} lines={lines} only={diff.hunks.length === 1 && h.from === 1} />
          })}
        </tbody>
      </table>
      {left < 0 && <button type="button" class="more" onClick={() => { setAll(true); seen?.() }}>{t('diff.rest', { n: -left })}</button>}
    </div>
  )
}

function HunkRows({ hunk, lines, only }: { hunk: Hunk; lines: Hunk['lines']; only: boolean }) {
  return (
    <>
      {!only && <tr class="h"><td colSpan={4}>{hunk.from === hunk.to ? t('diff.line', { from: String(hunk.from) }) : t('diff.lines', { from: String(hunk.from), to: String(hunk.to) })}{hunk.where && <code dir="auto">{hunk.where}</code>}</td></tr>}
      {lines.map((l, i) => (
        <tr key={i} class={rowClass[l.sign]}>
          <td class="g old">{l.old ?? ''}</td>
          <td class="g">{l.new ?? ''}</td>
          <td class="m">{signs[l.sign]}{l.sign !== ' ' && <span class="sr">{l.sign === '+' ? t('diff.added') : t('diff.removed')}</span>}</td>
          <td class="c" dir="ltr"><SpelledLine text={l.text} />{l.noNewline && <span class="boxed">{t('diff.no-newline')}</span>}</td>
        </tr>
      ))}
    </>
  )
}
