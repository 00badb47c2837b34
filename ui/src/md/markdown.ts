// Markdown that streams: a list of blocks, of which only the last is parsed again.

import { Marked } from 'marked'
import type { Token, Tokens } from 'marked'
import { request } from '../http'
import { t } from '../i18n/t'
import { CodeBlock } from './codeblock'
import { mend } from './mend'
import { toNodes } from './sanitise'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (s: string) => s.replace(/[&<>"']/g, (c) => escapes[c]!)

const marked = new Marked({
  gfm: true,
  renderer: {
    // Raw HTML is text.
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escape(text),
    link({ href, tokens }: Tokens.Link) {
      const words = this.parser.parseInline(tokens)
      return /^(https?:|mailto:)/i.test(href) ? `<a href="${escape(href)}">${words}</a>` : words
    },
    // A picture is a line with a button: nothing is fetched by itself.
    image: ({ href, text }: Tokens.Image) => `<span class="picture" data-picture="${escape(href)}" data-alt="${escape(text)}"></span>`,
    checkbox: ({ checked }: Tokens.Checkbox) => `<input type="checkbox" disabled${checked ? ' checked' : ''}> `,
  },
})

interface Block {
  /** The block's source; one that did not change is left alone. */
  raw: string
  nodes: Node[]
  code?: CodeBlock
}

/** Shows Markdown in an element, while it grows and when it is whole. */
export class MarkdownView {
  private frozen = 0 // characters that blocks which cannot change any more came from
  private last?: Block
  private text = ''
  private done = false

  constructor(readonly el: HTMLElement) {}

  update(text: string, done: boolean): void {
    if (text === this.text && done === this.done) return
    // Text that was replaced, or that uses links defined elsewhere in it, is begun again.
    if (!text.startsWith(this.text.slice(0, this.frozen)) || (done && /^\s{0,3}\[[^\]]+\]:\s/m.test(text))) this.reset()
    this.text = text
    this.done = done
    const tail = text.slice(this.frozen)
    const tokens = marked.lexer(tail)
    // What follows the last block (blank lines) may still belong to it.
    let end = tokens.length
    while (end > 0 && tokens[end - 1]!.type === 'space') end--
    const stable = done ? end : Math.max(0, end - 1)
    for (const token of tokens.slice(0, stable)) {
      if (token.type !== 'space') this.place(token, true)
      this.last = undefined
      this.frozen += token.raw.length
    }
    const open = done ? undefined : tokens[stable]
    if (open && open.type !== 'space') this.place(open, false)
    else if (this.last) this.take(this.last)
  }

  private reset(): void {
    this.el.replaceChildren()
    this.frozen = 0
    this.last = undefined
  }

  private take(block: Block): void {
    for (const n of block.nodes) n.parentNode?.removeChild(n)
    this.last = undefined
  }

  /** Draws a token in the place of the last block. */
  private place(token: Token, closed: boolean): void {
    const old = this.last
    if (token.type === 'code') {
      const { text, lang, raw } = token as Tokens.Code
      if (!closed && !raw.includes('\n')) return // its first line is being written
      const whole = closed || /\n\s{0,3}(`{3,}|~{3,})\s*$/.test(raw)
      const code = old?.code ?? new CodeBlock()
      if (!old?.code) this.swap(old, [code.el])
      code.show(text, (lang ?? '').split(/\s/)[0]!, whole)
      this.last = { raw: token.raw, nodes: [code.el], code }
      return
    }
    const raw = closed ? token.raw : mend(token.raw)
    if (old && !old.code && old.raw === raw) return
    const source = closed ? [token] : marked.lexer(raw)
    const nodes = [...dress(toNodes(marked.parser(source))).childNodes]
    this.swap(old, nodes)
    this.last = { raw, nodes }
  }

  private swap(old: Block | undefined, nodes: Node[]): void {
    const first = old?.nodes[0]
    if (first?.parentNode === this.el) for (const n of nodes) this.el.insertBefore(n, first)
    else this.el.append(...nodes)
    if (old) this.take(old)
  }
}

/** What sanitised nodes need to behave: links, wide tables, code inside lists, pictures. */
function dress(nodes: DocumentFragment): DocumentFragment {
  for (const a of nodes.querySelectorAll('a')) {
    a.target = '_blank'
    a.rel = 'noopener noreferrer'
    a.dataset.host = a.protocol === 'mailto:' ? a.pathname : a.host
    a.title = a.href
  }
  for (const box of nodes.querySelectorAll('input')) box.setAttribute('aria-label', t(box.checked ? 'todo-state.done' : 'todo-state.open'))
  for (const table of nodes.querySelectorAll('table')) {
    const box = document.createElement('div')
    box.className = 'widetable'
    box.tabIndex = 0
    box.setAttribute('role', 'group')
    box.setAttribute('aria-label', t('md.table'))
    if ((table.querySelector('tr')?.children.length ?? 0) > 3) box.classList.add('scrolls')
    table.replaceWith(box)
    box.append(table)
  }
  for (const code of nodes.querySelectorAll('pre > code')) {
    const block = new CodeBlock()
    block.show(code.textContent ?? '', /language-(\S+)/.exec(code.className)?.[1] ?? '', true)
    code.parentElement!.replaceWith(block.el)
  }
  for (const place of nodes.querySelectorAll<HTMLElement>('.picture')) dressPicture(place)
  return nodes
}

function dressPicture(place: HTMLElement): void {
  const url = place.dataset.picture ?? ''
  const alt = place.dataset.alt || t('md.no-description')
  const host = URL.canParse(url) ? new URL(url).host : ''
  place.replaceChildren(host ? t('md.picture', { host }) : t('md.picture-local', { name: alt }))
  place.title = url
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return
  const show = document.createElement('button')
  show.type = 'button'
  show.className = 'mini'
  show.textContent = t('md.show')
  show.addEventListener('click', async () => {
    show.disabled = true
    try {
      const answer = await request('GET', 'picture?url=' + encodeURIComponent(url))
      const img = document.createElement('img')
      img.src = URL.createObjectURL(await answer.blob())
      img.alt = alt
      place.replaceChildren(img)
    } catch (e) {
      place.replaceChildren(t('md.picture-failed', { host }))
      place.title = String(e)
    }
  })
  place.append(' · ', show)
}
