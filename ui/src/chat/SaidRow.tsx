import { t } from '../i18n/t'
import type { Said, Turn } from '../items'
import { isOpen } from '../items'
import { Mini } from '../parts/Button'
import { CopyButton } from '../parts/CopyButton'
import { Clock } from '../parts/Time'
import { plain } from '../wire'
import { useSession } from './context'
import { again } from './fork'
import { Picture } from './Picture'

/** What the person said, exactly as written. */
export function SaidRow({ item, turn }: { item: Said; turn: Turn }) {
  const session = useSession()
  const text = plain(item.content)
  return (
    <article class="said">
      <h2 class="sr">{t('author.you')}</h2>
      <div class="user">
        {item.content.filter((p) => p.blob).map((p) => <Picture key={p.blob} part={p} />)}
        <div class="words" dir="auto">{split(text).map((s, i) => (s.code ? <code key={i}>{s.text}</code> : s.text))}</div>
      </div>
      <div class="msg-acts">
        <CopyButton text={() => text} />
        {turn.before !== undefined && !isOpen(turn) && <Mini icon="edit" onClick={() => void again(session, turn.before!, text)}>{t('message.again')}</Mini>}
        <Clock at={item.at} />
      </div>
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
