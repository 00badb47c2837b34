// What a half-written last block looks like before its end is known. No DOM.

/** A line that can only be the beginning of a table, or of nothing a person should see yet. */
const tableHead = /^\s*\|.*$/
const delimiterRow = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

/**
 * Closes or holds back what is open at the end of streaming Markdown, so that no raw
 * marks flash: emphasis and code are closed, a link shows its text, a table waits
 * for its second line, a fence's first line is not shown half.
 */
export function mend(block: string): string {
  if (/^\s{0,3}(```|~~~)/.test(block)) return block // an open fence is shown as it is
  let text = holdBackTable(block)
  const lineStart = text.lastIndexOf('\n') + 1
  const lastLine = text.slice(lineStart)
  // A line that is only marks so far: a heading, a list item, a rule, a fence to come.
  if (/^\s{0,3}(#{1,6}|[-*+]|\d{1,9}[.)]|>|`{1,3}|~{1,3}|[-*_=]{1,}|\[[ xX]?)\s*$/.test(lastLine)) text = text.slice(0, lineStart)
  return closeInline(text)
}

function holdBackTable(block: string): string {
  const lines = block.split('\n')
  const head = lines.findLastIndex((l, i) => tableHead.test(l) && (i === 0 || !tableHead.test(lines[i - 1]!)))
  if (head < 0) return block
  const second = lines[head + 1]
  const isTable = second !== undefined && delimiterRow.test(second) && second.includes('-') && lines.length > head + 2
  if (isTable) {
    // The row that is being written is shown once it is whole.
    const last = lines[lines.length - 1]!
    return last !== '' && !/\|\s*$/.test(last) ? lines.slice(0, -1).join('\n') : block
  }
  if (lines.length <= head + 2 && (second === undefined || second === '' || /^[\s|:-]*$/.test(second))) return lines.slice(0, head).join('\n')
  return block
}

/** Walks the text once and closes what is open at its end. */
function closeInline(text: string): string {
  const paragraph = text.lastIndexOf('\n\n') + 1
  const tail = text.slice(paragraph)
  const open: string[] = []
  let i = 0
  while (i < tail.length) {
    const c = tail[i]!
    if (c === '\\') { i += 2; continue }
    if (c === '`') {
      const run = runOf(tail, i, '`')
      const end = tail.indexOf('`'.repeat(run), i + run)
      if (end < 0) {
        const body = tail.slice(i + run)
        return text.slice(0, paragraph) + (body ? tail + '`'.repeat(run) : tail.slice(0, i)) + reversed(open)
      }
      i = end + run
      continue
    }
    if (c === '*' || (c === '~' && tail[i + 1] === '~')) {
      const run = Math.min(runOf(tail, i, c), c === '~' ? 2 : 3)
      const mark = c.repeat(run)
      const before = tail[i - 1] ?? ' ', after = tail[i + run] ?? ''
      if (open[open.length - 1] === mark && !/\s/.test(before)) open.pop()
      else if (after === '') return text.slice(0, paragraph) + tail.slice(0, i) + reversed(open)
      else if (!/\s/.test(after)) open.push(mark)
      i += run
      continue
    }
    if (c === '[' || (c === '!' && tail[i + 1] === '[')) {
      const bang = c === '!'
      const label = tail.indexOf(']', i)
      if (label < 0) {
        // The label is being written: its words show, its bracket does not.
        const words = tail.slice(i + (bang ? 2 : 1))
        return text.slice(0, paragraph) + tail.slice(0, i) + (bang ? '' : words) + reversed(open)
      }
      if (label === tail.length - 1) return text.slice(0, paragraph) + tail.slice(0, i) + (bang ? '' : tail.slice(i + 1, label)) + reversed(open)
      if (tail[label + 1] === '(') {
        const end = tail.indexOf(')', label)
        if (end < 0) return text.slice(0, paragraph) + tail.slice(0, i) + (bang ? '' : tail.slice(i + 1, label)) + reversed(open)
        i = end + 1
        continue
      }
      i = label + 1
      continue
    }
    i++
  }
  return text + reversed(open)
}

function runOf(s: string, at: number, c: string): number {
  let n = 0
  while (s[at + n] === c) n++
  return n
}

function reversed(open: string[]): string { return open.toReversed().join('') }
