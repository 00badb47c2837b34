// A call while the model is still writing it: what can be told from half a JSON object. No DOM.

import { countLines, utf8Length } from './text'

export interface DraftView {
  /** The path, command or words that tell it apart, as far as written. */
  what: string
  /** The long text being written, where there is one. */
  body: string
  bytes: number
  lines: number
}

/** Fields that name a call, best first, and fields that hold its long text. */
const names = ['path', 'file', 'file_path', 'command', 'pattern', 'query', 'url', 'name']
const bodies = ['content', 'new', 'new_text', 'new_string', 'text', 'patch', 'code', 'prompt']

export function readDraft(args: string): DraftView {
  const fields = stringFields(args)
  const body = bodies.map((n) => fields.get(n)).find((v) => v !== undefined) ?? ''
  const what = names.map((n) => fields.get(n)).find((v) => v !== undefined) ?? ''
  return { what, body, bytes: utf8Length(body), lines: countLines(body) }
}

/** The string fields of the outermost object; the last one may be unfinished. */
function stringFields(json: string): Map<string, string> {
  const fields = new Map<string, string>()
  let depth = 0, key = '', i = 0
  while (i < json.length) {
    const c = json[i]!
    if (c === '"') {
      const end = stringEnd(json, i)
      const text = unescape(json.slice(i + 1, end))
      const after = /^\s*:/.test(json.slice(end + 1))
      if (depth === 1) {
        if (after) key = text
        else if (key) { fields.set(key, text); key = '' }
      }
      i = end + 1
      continue
    }
    if (c === '{' || c === '[') depth++
    else if (c === '}' || c === ']') depth--
    else if (c === ',' && depth === 1) key = ''
    i++
  }
  return fields
}

/** The index of the closing quote, or the end where it is not there yet. */
function stringEnd(json: string, from: number): number {
  for (let i = from + 1; i < json.length; i++) {
    if (json[i] === '\\') i++
    else if (json[i] === '"') return i
  }
  return json.length
}

const plainEscapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** Reads JSON escapes; half an escape at the end is left out. */
function unescape(s: string): string {
  if (!s.includes('\\')) return s
  return s.replace(/\\(u[0-9a-fA-F]{4}|u[0-9a-fA-F]{0,3}$|[\s\S]|$)/g, (_, e: string) => {
    if (e.startsWith('u')) return e.length === 5 ? String.fromCharCode(parseInt(e.slice(1), 16)) : ''
    return plainEscapes[e] ?? e
  })
}
