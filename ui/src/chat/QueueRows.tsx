// Messages that wait for their turn: editable until they are taken.

import { t } from '../i18n/t'
import { Mini } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { write } from '../state/drafts'
import type { Session } from '../state/session'
import { attempt } from '../state/toasts'
import { firstLine } from '../text'
import type { Queued } from '../wire'
import { plain } from '../wire'

function queueOf(session: Session): Queued[] { return session.facts.value.queue.filter((m) => m.delivery !== 'inject') }

export function QueueRows({ session }: { session: Session }) {
  const queue = queueOf(session)
  if (queue.length === 0) return null
  const held = session.facts.value.held
  return (
    <ul class="queue" aria-label={t('queue.name', { n: queue.length })}>
      {queue.map((m) => (
        <li key={m.id}>
          <Icon name="clock" size={14} class="st-mute" />
          <span class="what" dir="auto" title={plain(m.content)}>{firstLine(plain(m.content)).line}</span>
          {m.delivery === 'steer' && <span class="tag">{t('queue.steer')}</span>}
          <Mini onClick={() => void edit(session, m)}>{t('queue.edit')}</Mini>
          {m.delivery !== 'steer' && <Mini onClick={() => void attempt(session.command('queue.promote', { id: m.id }))}>{t('queue.now')}</Mini>}
          <Mini onClick={() => void attempt(session.command('queue.remove', { id: m.id }))}>{t('queue.remove')}</Mini>
        </li>
      ))}
      {held && <li class="held"><span>{t('queue.held')}</span><Mini onClick={() => void attempt(session.command('queue.release', {}))}>{t('queue.release')}</Mini></li>}
    </ul>
  )
}

/** Takes a message back into the composer. */
async function edit(session: Session, m: Queued): Promise<void> {
  if ((await attempt(session.command('queue.remove', { id: m.id }).then(() => true))) !== true) return
  write(session.id, { text: plain(m.content) })
  document.querySelector<HTMLTextAreaElement>('[data-composer]')?.focus()
}

export async function editLast(session: Session): Promise<void> {
  const last = session.facts.peek().queue.findLast((m) => m.delivery !== 'inject')
  if (last) await edit(session, last)
}
