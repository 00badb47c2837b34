// Content labels: what a payload is and how much of it there is, without reading it.
// Words come from the catalog; here are the facts. No DOM.

import { countLines } from './text'
import { extensionOf, languageName } from './md/language'

export type ContentKind = 'picture' | 'diff' | 'json' | 'table' | 'log' | 'source' | 'markdown' | 'terminal' | 'search' | 'files' | 'text' | 'empty'

export interface Content {
  kind: ContentKind
  /** For source: the language's name. */
  language?: string
  chars: number
  lines: number
}

/** What a text is, first that fits; hint is what the tool already knows. */
export function contentOf(text: string, hint: { kind?: ContentKind; path?: string; language?: string } = {}): Content {
  const size = { chars: countChars(text), lines: countLines(text) }
  if (text === '') return { kind: 'empty', ...size }
  const language = languageName(hint.language ?? '') || languageName(hint.path ? extensionOf(hint.path) : '')
  if (hint.kind) return { kind: hint.kind, ...(language && { language }), ...size }
  if (looksDiff(text)) return { kind: 'diff', ...size }
  if (language === 'Markdown') return { kind: 'markdown', ...size }
  if (language && language !== 'JSON') return { kind: 'source', language, ...size }
  if (looksJson(text)) return { kind: 'json', ...size }
  if (looksTable(text)) return { kind: 'table', ...size }
  if (looksLog(text)) return { kind: 'log', ...size }
  return { kind: 'text', ...size }
}

/** Characters as a person counts them: code points. */
export function countChars(text: string): number {
  let n = 0
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) n++
  return n
}

function looksDiff(text: string): boolean {
  return /^(---|diff --git|@@ )/.test(text) && /^@@ -\d+/m.test(text)
}

function looksJson(text: string): boolean {
  const first = text.trimStart()[0]
  if (first !== '{' && first !== '[') return false
  if (text.length > 2_000_000) return false
  try { JSON.parse(text); return true } catch { return false }
}

/** Three and more lines that share two and more columns. */
function looksTable(text: string): boolean {
  const lines = text.split('\n').filter((l) => l.trim() !== '').slice(0, 20)
  if (lines.length < 3) return false
  const columns = (split: RegExp) => {
    const counts = lines.map((l) => l.trim().split(split).length)
    return counts[0]! >= 2 && counts.every((c) => c === counts[0])
  }
  return columns(/\t/) || columns(/ {2,}/)
}

/** Most lines begin with a time or a level. */
function looksLog(text: string): boolean {
  const lines = text.split('\n').filter((l) => l.trim() !== '').slice(0, 40)
  const logged = lines.filter((l) => /^\[?(\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|(TRACE|DEBUG|INFO|WARN(ING)?|ERROR|FATAL)\b)/.test(l.trim())).length
  return lines.length >= 2 && logged * 2 > lines.length
}
