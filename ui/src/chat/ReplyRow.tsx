import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../i18n/t'
import type { Reply, Turn } from '../items'
import { MarkdownView } from '../md/markdown'
import { Mini } from '../parts/Button'
import { CopyButton } from '../parts/CopyButton'
import { Clock } from '../parts/Time'
import { useSession } from './context'
import { forkHere } from './fork'

/** What Fairlead answered; while it streams, its text comes from the stream, once a frame. */
export function ReplyRow({ item, turn }: { item: Reply; turn: Turn }) {
  const session = useSession()
  const pulse = session.pulse(item.message)
  if (item.live) void pulse.value
  const text = item.live ? (session.transcript.streams.get(item.message)?.text.text ?? item.text) : item.text
  const isAnswer = turn.items.findLast((i) => i.kind === 'reply') === item
  return (
    <article class="reply" aria-busy={item.live}>
      <h2 class="sr">{t('author.fairlead')}</h2>
      <Markdown text={text} done={!item.live} />
      {item.interrupted && <p class="cut">{t('reply.cut')}</p>}
      {!item.live && (
        <div class={'msg-acts' + (isAnswer ? '' : ' minor')}>
          <CopyButton text={() => text} />
          {isAnswer && turn.endSeq !== undefined && <Mini icon="fork" onClick={() => void forkHere(session, turn.endSeq!)}>{t('message.fork')}</Mini>}
          <Clock at={item.at} />
        </div>
      )}
    </article>
  )
}

export function Markdown({ text, done }: { text: string; done: boolean }) {
  const ref = useRef<HTMLDivElement>(null)
  const view = useRef<MarkdownView | undefined>(undefined)
  useLayoutEffect(() => {
    view.current ??= new MarkdownView(ref.current!)
    view.current.update(text, done)
  }, [text, done])
  return <div class="prose" ref={ref} dir="auto" />
}
