// Unified diffs as lines to draw. No DOM.

export interface DiffLine {
  sign: ' ' | '+' | '-'
  old?: number // line numbers, from 1
  new?: number
  text: string
  /** The file has no line break after this line. */
  noNewline?: boolean
}

export interface Hunk {
  /** The new file's first and last line that the hunk shows; the old file's where nothing is left. */
  from: number
  to: number
  /** What the diff says of the place: the enclosing function. */
  where: string
  lines: DiffLine[]
}

export interface Diff {
  hunks: Hunk[]
  added: number
  removed: number
  lines: number
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

/** Reads a unified diff of one file. Lines outside hunks (the ---/+++ heads) are left out. */
export function parseDiff(text: string): Diff {
  const diff: Diff = { hunks: [], added: 0, removed: 0, lines: 0 }
  let hunk: Hunk | undefined
  let oldAt = 0, newAt = 0, oldLeft = 0, newLeft = 0
  const lines = text.split('\n')
  if (lines[lines.length - 1] === '') lines.pop()
  for (const line of lines) {
    const head = oldLeft + newLeft > 0 ? null : hunkHead.exec(line)
    if (head) {
      oldAt = Number(head[1]); newAt = Number(head[3])
      oldLeft = Number(head[2] ?? 1); newLeft = Number(head[4] ?? 1)
      const [from, size] = newLeft > 0 ? [newAt, newLeft] : [oldAt, oldLeft]
      hunk = { from, to: from + Math.max(size, 1) - 1, where: head[5] ?? '', lines: [] }
      diff.hunks.push(hunk)
      continue
    }
    if (!hunk) continue
    const last = hunk.lines[hunk.lines.length - 1]
    if (line.startsWith('\\')) { if (last) last.noNewline = true; continue }
    if (oldLeft + newLeft <= 0) continue
    const body = line.slice(1)
    if (line.startsWith('+')) { hunk.lines.push({ sign: '+', new: newAt++, text: body }); newLeft--; diff.added++ }
    else if (line.startsWith('-')) { hunk.lines.push({ sign: '-', old: oldAt++, text: body }); oldLeft--; diff.removed++ }
    else { hunk.lines.push({ sign: ' ', old: oldAt++, new: newAt++, text: body }); oldLeft--; newLeft-- }
    diff.lines++
  }
  return diff
}
