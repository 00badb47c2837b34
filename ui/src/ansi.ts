// Terminal output: colours are kept as words, cursor games are dropped. No DOM.

export interface Styled {
  text: string
  /** Space-separated class words: "fg-red bold dim". */
  style: string
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

// CSI, OSC/DCS/APC/PM strings up to BEL or ST, two-character escapes, 8-bit CSI.
const escape = /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|\x9b([0-?]*)[ -/]*([@-~])/g

/** Cuts output into pieces of one style each. Joined, their texts are what a person reads. */
export function parseAnsi(output: string): Styled[] {
  const out: Styled[] = []
  let pen = new Pen()
  let from = 0
  const put = (raw: string) => {
    const text = raw.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
    if (!text) return
    const style = pen.style()
    const last = out[out.length - 1]
    if (last && last.style === style) last.text += text
    else out.push({ text, style })
  }
  const source = overwritten(output)
  for (const m of source.matchAll(escape)) {
    put(source.slice(from, m.index))
    from = m.index! + m[0].length
    if (m[2] === 'm' || m[4] === 'm') pen = pen.after(m[1] ?? m[3] ?? '')
  }
  put(source.slice(from))
  return out
}

/** What a carriage return leaves of each line: what was written last. */
function overwritten(s: string): string {
  if (!s.includes('\r')) return s
  return s.replace(/\r+\n/g, '\n').split('\n').map((line) => {
    const at = line.lastIndexOf('\r', line.length - 2)
    return (at < 0 ? line : line.slice(at + 1)).replace(/\r$/, '')
  }).join('\n')
}

class Pen {
  constructor(private fg = '', private bold = false, private dim = false, private underline = false) {}

  after(params: string): Pen {
    const next = new Pen(this.fg, this.bold, this.dim, this.underline)
    const codes = params.split(/[;:]/).map((p) => Number(p || 0))
    for (let i = 0; i < codes.length; i++) {
      const c = codes[i]!
      if (c === 0) { next.fg = ''; next.bold = next.dim = next.underline = false }
      else if (c === 1) next.bold = true
      else if (c === 2) next.dim = true
      else if (c === 4) next.underline = true
      else if (c === 22) next.bold = next.dim = false
      else if (c === 24) next.underline = false
      else if (c >= 30 && c <= 37) next.fg = colours[c - 30]!
      else if (c >= 90 && c <= 97) next.fg = colours[c - 90]!
      else if (c === 39) next.fg = ''
      else if (c === 38 || c === 48) {
        const fg = codes[i + 1] === 5 ? paletteName(codes[i + 2] ?? 0) : ''
        if (c === 38) next.fg = fg
        i += codes[i + 1] === 5 ? 2 : 4
      }
    }
    return next
  }

  style(): string {
    return [this.fg && 'fg-' + this.fg, this.bold && 'bold', this.dim && 'dim', this.underline && 'underline'].filter(Boolean).join(' ')
  }
}

/** The nearest of our colours for one of the first 16 of the 256; none for the rest. */
function paletteName(n: number): string {
  return n < 16 ? colours[n % 8]! : ''
}
