// A block of code with its bar. Made by hand, not by components: it lives inside
// streaming Markdown, where only text is added.

import { countLines } from '../text'
import { count, list, t } from '../i18n/t'
import { copyText } from '../parts/copy'
import { highlight } from './highlight'
import { languageName } from './language'

const longest = 400
const shownFirst = 60

export class CodeBlock {
  readonly el = document.createElement('div')
  private code = document.createElement('code')
  private about = document.createElement('span')
  private text = ''
  private done = false

  constructor(private language = '') {
    this.el.className = 'codeblock'
    const bar = document.createElement('div')
    bar.className = 'codebar'
    this.about.className = 'about'
    bar.append(this.about, button(t('codeblock.wrap'), (b) => {
      const on = this.el.classList.toggle('wrap')
      b.setAttribute('aria-pressed', String(on))
    }, false), button(t('copy.do'), (b) => { void copyText(this.text, b) }))
    const pre = document.createElement('pre')
    pre.tabIndex = 0
    pre.dir = 'ltr'
    pre.append(this.code)
    this.el.append(bar, pre)
    this.label()
  }

  /** Shows text in a language; what only grew is added to. done colours it, once. */
  show(text: string, language: string, done: boolean): void {
    this.language = language
    this.done = done
    const last = this.code.lastChild
    if (!done && last instanceof Text && text.startsWith(this.text)) last.appendData(text.slice(this.text.length))
    else if (text !== this.text || !last) this.code.textContent = text
    this.text = text
    this.label()
    if (!done) return
    const lines = countLines(text)
    if (lines > longest) this.fold(lines)
    else if (this.language) void highlight(this.code, this.language)
  }

  private fold(lines: number): void {
    this.code.textContent = this.text.split('\n', shownFirst).join('\n')
    if (this.language) void highlight(this.code, this.language)
    const more = button(t('codeblock.all', { n: lines }), () => {
      more.remove()
      this.code.textContent = this.text
      if (this.language) void highlight(this.code, this.language)
    })
    more.classList.add('more')
    this.el.append(more)
  }

  private label(): void {
    // A language that is not known is named once its name is whole: while the fence is written it may be half a word.
    const name = languageName(this.language) || (this.done ? this.language : '')
    this.about.textContent = list([name, t('size.lines', { n: countLines(this.text) })].filter(Boolean))
    this.about.title = t('size.chars', { n: [...this.text].length, })
    this.el.dataset.chars = count(this.text.length)
  }
}

function button(label: string, press: (b: HTMLButtonElement) => void, pressed?: boolean): HTMLButtonElement {
  const b = document.createElement('button')
  b.type = 'button'
  b.className = 'mini'
  b.textContent = label
  if (pressed !== undefined) b.setAttribute('aria-pressed', String(pressed))
  b.addEventListener('click', () => press(b))
  return b
}
