// Everything a card holds, as it was asked: hero line, facts, reason, the whole
// payload. Text of models and files stays text.

import { useMemo } from 'preact/hooks'
import { list, t, tx, word } from '../i18n/t'
import { contentOf } from '../labels'
import { parseDiff } from '../diff'
import { CopyButton } from '../parts/CopyButton'
import { DiffView } from '../parts/DiffView'
import { Label, describe } from '../parts/Label'
import { SpelledLine, SpelledText } from '../parts/Spelled'
import { WholeText } from '../parts/TextView'
import { countHidden, splitPath } from '../text'
import type { Card, CardPart } from '../wire'

/** Cards whose hero is a path. */
const paths = new Set(['change-file', 'new-file', 'delete-file', 'read-file'])

export function CardPayload({ card, seen }: { card: Card; seen?: () => void }) {
  return (
    <>
      <CardHead card={card} />
      {(card.parts ?? []).map((part, i) => <PartView key={i} part={part} card={card} {...(seen && { seen })} />)}
    </>
  )
}

export function CardHead({ card, waiting }: { card: Card; waiting?: boolean }) {
  const facts = useFacts(card)
  return (
    <>
      <div class="hero">
        <Hero card={card} />
        <div class="facts">
          {facts}
          {waiting && !card.facts?.some((f) => f.key === 'card.rerun') && <span>{t('card.nothing-yet')}</span>}
        </div>
        {card.grave && <p class="grave">{t('card.grave', { rule: card.grave })}</p>}
      </div>
      {card.why && <p class="why" dir="auto"><b>{t('card.why')}</b> <SpelledText text={card.why} /></p>}
    </>
  )
}

/** The one fact that matters: it wraps and is never cut. */
function Hero({ card }: { card: Card }) {
  if (paths.has(card.title)) {
    const { dir, name } = splitPath(card.hero)
    return <div class="path" dir="ltr"><span class="dir"><SpelledLine text={dir} /></span><SpelledLine text={name} /></div>
  }
  if (card.title === 'open-page' && URL.canParse(card.hero)) {
    const url = new URL(card.hero)
    const [before, after] = around(card.hero, url.host)
    return <div class="path" dir="ltr"><span class="dir"><SpelledLine text={before} /></span><SpelledLine text={url.host} /><span class="dir"><SpelledText text={after} /></span></div>
  }
  return <div class="path command" dir="ltr"><SpelledText text={card.hero} /></div>
}

/** What stands before and after the host; a host that is written otherwise (in letters that mix scripts) is shown as the net sees it. */
function around(hero: string, host: string): [string, string] {
  const at = hero.toLowerCase().indexOf(host)
  return at < 0 ? ['', ' ← ' + hero] : [hero.slice(0, at), hero.slice(at + host.length)]
}

function useFacts(card: Card) {
  const parts = card.parts ?? []
  const all = [card.hero, ...parts.map((p) => p.text).filter((x) => x !== card.hero)].join('\n')
  const { hidden, mixed } = useMemo(() => countHidden(all), [all])
  const diff = parts.find((p) => p.kind === 'diff')
  const counts = useMemo(() => diff && parseDiff(diff.text), [diff?.text])
  return (
    <>
      {counts && <span>{tx('card.lines', { added: <span class="add num">+{counts.added}</span>, removed: <span class="del num">−{counts.removed}</span> })}</span>}
      {(card.facts ?? []).map((f) => <span key={f.key} class={f.warn ? 'fact-warn' : undefined}>{word('', f.key, f.values ?? {}) ?? plainFact(f.key, f.values)}</span>)}
      {hidden > 0 && <span class="fact-warn">{t('card.hidden', { n: hidden })}</span>}
      {mixed > 0 && <span class="fact-warn">{t('card.mixed', { n: mixed })}</span>}
    </>
  )
}

/** A fact the catalog does not know is still said. */
function plainFact(key: string, values?: Record<string, unknown>): string {
  return list([key.replace(/^.*\./, '').replaceAll('-', ' '), ...Object.values(values ?? {}).map(String)])
}

export function PartView({ part, card, seen }: { part: CardPart; card: Card; seen?: () => void }) {
  const hint = part.kind === 'diff' ? { kind: 'diff' as const } : { ...(part.path && { path: part.path }), ...(part.kind === 'command' && { language: 'sh' }), ...(part.kind === 'json' && { kind: 'json' as const }) }
  const content = contentOf(part.kind === 'diff' ? diffBody(part.text) : part.text, hint)
  const what = describe(content)
  const name = word('part', part.name) ?? part.name
  return (
    <>
      {part.kind === 'diff' ? <DiffView unified={part.text} label={list([name, what])} {...(seen && { seen })} />
        : part.text !== card.hero && <WholeText text={part.text} label={list([name, what])} {...(seen && { seen })} />}
      <Label part={part.name} what={what}><CopyButton text={() => part.text} /></Label>
    </>
  )
}

/** A diff without its file heads: what the label counts. */
function diffBody(text: string): string {
  return parseDiff(text).hunks.flatMap((h) => h.lines.map((l) => l.text)).join('\n')
}

/** How many lines the longest part of a card has. */
export function longestPart(card: Card): number {
  return Math.max(0, ...(card.parts ?? []).map((p) => (p.kind === 'diff' ? parseDiff(p.text).lines : p.text.split('\n').length)))
}
