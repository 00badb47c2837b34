import { t } from '../i18n/t'
import type { Said } from '../items'
import { CopyButton } from '../parts/CopyButton'
import { Clock } from '../parts/Time'
import { plain } from '../wire'
import { Picture } from './Picture'

/** What the person said, exactly as written. */
export function SaidRow({ item }: { item: Said }) {
  const text = plain(item.content)
  return (
    <article class="said">
      <h2 class="sr">{t('author.you')}</h2>
      <div class="user">
        {item.content.filter((p) => p.blob).map((p) => <Picture key={p.blob} part={p} />)}
        <div class="words" dir="auto">{split(text).map((s, i) => (s.code ? <code key={i}>{s.text}</code> : s.text))}</div>
      </div>
      <div class="msg-acts"><CopyButton text={() => text} /><Clock at={item.at} /></div>
    </article>
  )
}

/** Inline code marks are drawn as code; nothing else of a person's text is interpreted. */
function split(text: string): { text: string; code: boolean }[] {
  const out: { text: string; code: boolean }[] = []
  let from = 0
  for (const m of text.matchAll(/`([^`\n]+)`/g)) {
    out.push({ text: text.slice(from, m.index), code: false }, { text: m[1]!, code: true })
    from = m.index! + m[0].length
  }
  out.push({ text: text.slice(from), code: false })
  return out.filter((s) => s.text)
}
