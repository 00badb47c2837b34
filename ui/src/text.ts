// Text as bytes and as what an eye can miss. No DOM.

/** Bytes of s in UTF-8; a lone surrogate counts as U+FFFD does. */
export function utf8Length(s: string): number {
  let n = 0
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i)
    if (c < 0x80) n += 1
    else if (c < 0x800) n += 2
    else if (c >= 0xd800 && c < 0xdc00 && i + 1 < s.length && (s.charCodeAt(i + 1) & 0xfc00) === 0xdc00) { n += 4; i++ }
    else n += 3
  }
  return n
}

/** s without its first n UTF-8 bytes; a character that is cut in two goes whole. */
export function dropBytes(s: string, n: number): string {
  let at = 0
  for (const c of s) {
    if (n <= 0) break
    n -= utf8Length(c)
    at += c.length
  }
  return s.slice(at)
}

/** Cuts text at byte ranges of its UTF-8: the pieces in order, those inside a range marked. */
export function markBytes(text: string, ranges: [number, number][]): { text: string; marked: boolean }[] {
  const out: { text: string; marked: boolean }[] = []
  let bytes = 0
  for (const c of text) {
    const at = bytes
    const marked = ranges.some(([from, to]) => at >= from && at < to)
    const last = out[out.length - 1]
    if (last && last.marked === marked) last.text += c
    else out.push({ text: c, marked })
    bytes += utf8Length(c)
  }
  return out
}

/** Lines as a person counts them: a last line break does not make a line. */
export function countLines(s: string): number {
  if (s === '') return 0
  let n = 1
  for (let i = s.indexOf('\n'); i >= 0 && i + 1 < s.length; i = s.indexOf('\n', i + 1)) n++
  return n
}

/** s split into lines without their line breaks. */
export function linesOf(s: string): string[] {
  const lines = s.split('\n')
  if (lines.length > 1 && lines[lines.length - 1] === '') lines.pop()
  return lines
}

/** A piece of text that is about to be approved: plain, or something that would mislead if it were drawn as it is. */
export type Spelled =
  | { kind: 'text'; text: string }
  | { kind: 'hidden'; text: string; code: string } // draws as nothing, as a blank, or reorders what follows
  | { kind: 'blanks'; text: string; count: number } // a run that could push text out of sight
  | { kind: 'mixed'; text: string } // a word whose letters come from several scripts

// Ranges of code points that hide or reorder text: controls (but not tab and line
// feed), format characters, blanks other than U+0020, fillers, variation selectors, tags.
const hidden = [
  0x00, 0x08, 0x0b, 0x1f, 0x7f, 0xa0, 0xad, 0xad, 0x34f, 0x34f, 0x600, 0x605, 0x61c, 0x61c, 0x6dd, 0x6dd, 0x70f, 0x70f,
  0x115f, 0x1160, 0x1680, 0x1680, 0x17b4, 0x17b5, 0x180b, 0x180f, 0x2000, 0x200f, 0x2028, 0x202f, 0x205f, 0x206f,
  0x2800, 0x2800, 0x3000, 0x3000, 0x3164, 0x3164, 0xd800, 0xdfff, 0xfe00, 0xfe0f, 0xfeff, 0xfeff, 0xffa0, 0xffa0,
  0xfff0, 0xfffb, 0x110bd, 0x110bd, 0x13430, 0x1343f, 0x1bca0, 0x1bca3, 0x1d173, 0x1d17a, 0xe0000, 0xe0fff,
]

export function isHidden(code: number): boolean {
  let low = 0, high = hidden.length / 2 - 1
  while (low <= high) {
    const mid = (low + high) >> 1
    if (code < hidden[2 * mid]!) high = mid - 1
    else if (code > hidden[2 * mid + 1]!) low = mid + 1
    else return true
  }
  return false
}

/** The name of a code point as it is boxed: U+202E. */
export function codeName(code: number): string {
  return 'U+' + code.toString(16).toUpperCase().padStart(4, '0')
}

const latin = /[A-Za-z\u00c0-\u024f]/
const lookalike = /[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\uff21-\uff5a]/
const word = /[A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\uff21-\uff5a]+/g

/** Blanks at the start of a line are indentation up to this many; more are boxed. */
const deepestIndent = 60

/** Cuts one line into plain and boxed pieces. Joined, their texts are the line. */
export function spell(line: string): Spelled[] {
  const out: Spelled[] = []
  let plain = ''
  const flush = () => { if (plain) out.push(...spellWords(plain)); plain = '' }
  for (let i = 0; i < line.length;) {
    const code = line.codePointAt(i)!
    const size = code > 0xffff ? 2 : 1
    if (isHidden(code)) {
      flush()
      out.push({ kind: 'hidden', text: line.slice(i, i + size), code: codeName(code) })
      i += size
      continue
    }
    if (code === 0x20) {
      let end = i
      while (line.charCodeAt(end) === 0x20) end++
      const run = end - i
      const indent = i === 0 || line.slice(0, i).trim() === ''
      if (run >= 4 && !(indent && run <= deepestIndent && end < line.length)) {
        flush()
        out.push({ kind: 'blanks', text: line.slice(i, end), count: run })
      } else {
        plain += line.slice(i, end)
      }
      i = end
      continue
    }
    plain += line.slice(i, i + size)
    i += size
  }
  flush()
  return out
}

function spellWords(text: string): Spelled[] {
  const out: Spelled[] = []
  let from = 0
  for (const m of text.matchAll(word)) {
    if (!(latin.test(m[0]) && lookalike.test(m[0]))) continue
    const at = m.index!
    if (at > from) out.push({ kind: 'text', text: text.slice(from, at) })
    out.push({ kind: 'mixed', text: m[0] })
    from = at + m[0].length
  }
  if (from < text.length) out.push({ kind: 'text', text: text.slice(from) })
  return out
}

/** How many characters of text would not be seen, and how many words mix scripts. */
export function countHidden(text: string): { hidden: number; mixed: number } {
  let hiddenCount = 0
  for (const c of text) if (c !== '\n' && isHidden(c.codePointAt(0)!)) hiddenCount++
  let mixed = 0
  for (const m of text.matchAll(word)) if (latin.test(m[0]) && lookalike.test(m[0])) mixed++
  return { hidden: hiddenCount, mixed }
}

/** A path as its folder, with the slash, and its last name. */
export function splitPath(path: string): { dir: string; name: string } {
  const at = path.lastIndexOf('/', path.length - 2)
  return { dir: path.slice(0, at + 1), name: path.slice(at + 1) }
}

/** Cuts the middle out of a path so that at most max characters are left; the last name stays whole. */
export function shortPath(path: string, max: number): string {
  if (path.length <= max) return path
  const { dir, name } = splitPath(path)
  const room = max - name.length - 2
  if (room < 4) return '…/' + name
  return dir.slice(0, room) + '…/' + name
}

/** The first line, and whether there was more. */
export function firstLine(text: string): { line: string; more: boolean } {
  const trimmed = text.replace(/^\s+/, '')
  const at = trimmed.indexOf('\n')
  return at < 0 ? { line: trimmed, more: false } : { line: trimmed.slice(0, at), more: trimmed.slice(at).trim() !== '' }
}
