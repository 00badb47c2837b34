// Where a person writes. While an input method composes no key is ours; a draft goes
// only once the server has the message.

import { useEffect, useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { t } from '../i18n/t'
import { Button, IconButton } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { choiceOf, forgetChoice, inForce } from '../state/choice'
import { draft, giveBack, sent, take, write } from '../state/drafts'
import type { Attachment, Draft } from '../state/drafts'
import { composing } from '../state/keys'
import { create } from '../state/open'
import type { Session } from '../state/session'
import { attempt, toast, wordsOf } from '../state/toasts'
import { noFacts } from '../facts'
import { plain } from '../wire'
import { filesOf, sendFiles } from './attach'
import { Completion, useCompletion } from './Completion'
import { EffortMenu, ModeMenu, ModelMenu } from './Menus'
import { ContextMeter } from './ContextMeter'
import { editLast } from './QueueRows'
import { goToEnd } from './Transcript'

const bigPaste = 8000
/** On touch keyboards Enter makes a new line. */
const touch = matchMedia('(pointer: coarse)')

/** session is undefined for a session that does not exist yet: it is created by sending. */
export function Composer({ session }: { session: Session | undefined }) {
  const id = session?.id ?? ''
  const d = draft(id).value
  const field = useRef<HTMLTextAreaElement>(null)
  const sending = useRef(Promise.resolve())
  const pasted = useSignal('')
  const stopping = session?.status.value.state === 'stopping'
  const running = session !== undefined && session.status.value.state !== 'idle'
  const empty = d.text.trim() === '' && d.files.length === 0
  const completion = useCompletion(session, field)
  const recall = useRecall(session)
  const lastEsc = useRef(0)

  useEffect(() => { if (!touch.matches) field.current?.focus({ preventScroll: true }) }, [id])

  // Messages go one after another; what is written meanwhile is the next draft.
  const send = () => {
    if (empty) return
    const what = take(id)
    recall.reset()
    goToEnd(id)
    sending.current = sending.current.then(() => deliver(session, what)).then(() => sent(id), (e: unknown) => {
      giveBack(id, what)
      const { text, details } = wordsOf(e)
      toast(t('composer.not-sent', { why: text }), true, details)
    })
  }

  const onKey = (e: KeyboardEvent) => {
    if (composing(e) || completion.key(e)) return
    const el = e.currentTarget as HTMLTextAreaElement
    if (e.key === 'Enter' && !e.shiftKey && !e.ctrlKey && !e.altKey && !e.metaKey && !touch.matches) {
      e.preventDefault()
      send()
    } else if (e.key === 'Escape') {
      const now = performance.now()
      if (running && now - lastEsc.current < 1000) void attempt(session.stop())
      lastEsc.current = now
    } else if (e.key === 'ArrowUp' && el.value === '' && session?.facts.peek().queue.length) {
      e.preventDefault()
      void editLast(session)
    } else if ((e.key === 'ArrowUp' || e.key === 'ArrowDown') && recall.move(e.key === 'ArrowUp' ? -1 : 1, el)) {
      e.preventDefault()
    }
  }

  const onPaste = (e: ClipboardEvent) => {
    const files = [...(e.clipboardData?.files ?? [])]
    if (files.length) {
      e.preventDefault()
      void attach(id, files)
      return
    }
    const text = e.clipboardData?.getData('text/plain') ?? ''
    pasted.value = text.length > bigPaste ? text : ''
  }

  const attachPasted = () => {
    const text = pasted.value
    write(id, { text: d.text.replace(text, ''), files: [...d.files, { name: t('composer.pasted-name', { n: d.files.length + 1 }), text }] })
    pasted.value = ''
    field.current?.focus()
  }

  return (
    <div class="box" onDragOver={(e) => e.preventDefault()} onDrop={(e) => { const files = [...(e.dataTransfer?.files ?? [])]; if (files.length) { e.preventDefault(); void attach(id, files) } }}>
      <Completion state={completion} />
      {pasted.value && (
        <div class="offer">
          <span>{t('composer.long-paste', { n: pasted.value.length })}</span>
          <Button kind="text" onClick={attachPasted}>{t('composer.as-file')}</Button>
          <Button kind="text" onClick={() => { pasted.value = '' }}>{t('composer.keep-text')}</Button>
        </div>
      )}
      {d.files.length > 0 && <Chips id={id} files={d.files} />}
      <textarea ref={field} rows={1} dir="auto" aria-label={t('composer.name')} value={d.text} data-composer
        placeholder={running ? t('composer.ahead') : session ? t('composer.next') : t('composer.first')}
        {...completion.aria}
        onInput={(e) => { write(id, { text: e.currentTarget.value }); fit(e.currentTarget); completion.look() }}
        onKeyDown={onKey} onPaste={onPaste} onBlur={completion.close} />
      <div class="bar">
        <AttachButton id={id} />
        <ModeMenu session={session} />
        <ModelMenu session={session} />
        <EffortMenu session={session} />
        <span class="end">
          {session && <ContextMeter session={session} />}
          {running && empty
            ? <button type="button" class="stop" aria-label={stopping ? t('stop.stopping') : t('stop.do')} title={t('stop.do')} disabled={stopping} onClick={() => void attempt(session.stop())}>{stopping ? <span class="spin" /> : <StopSign />}</button>
            : <button type="button" class="stop send" aria-label={running ? t('composer.queue') : t('composer.send')} disabled={empty} onClick={send}><Icon name="send" /></button>}
        </span>
      </div>
    </div>
  )
}

function StopSign() {
  return <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" rx="2.5" fill="currentColor" /></svg>
}

/** Sends a draft, creating the session where there is none yet. A slash command goes to the command. */
async function deliver(session: Session | undefined, what: Draft): Promise<void> {
  const choice = choiceOf(session?.id ?? '')
  const force = inForce(session?.id ?? '', session?.facts.peek() ?? noFacts)
  if (session && what.files.length === 0) {
    const slash = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(what.text.trim())
    const command = slash && (await session.commands()).find((c) => c.slash === slash[1])
    if (command) {
      const said = await session.command(command.name, { text: slash[2] ?? '' })
      if (typeof said === 'object' && said && 'text' in said && typeof said.text === 'string') toast(said.text)
      return
    }
  }
  const target = session ?? (await create({ ...(choice.mode && { mode: choice.mode }), ...(choice.model && { model: choice.model }), ...(choice.effort && { effort: choice.effort }) }))
  const attachments = await sendFiles(target.id, what.files)
  await target.send(what.text, {
    mode: force.mode, ...(force.model && { model: force.model }), ...(force.effort && { effort: force.effort }), ...(attachments.length && { attachments }),
  })
  if (!session) forgetChoice('')
}

/** Where the browser cannot size a field by its text, the page does. */
function fit(el: HTMLTextAreaElement): void {
  if (CSS.supports('field-sizing', 'content')) return
  el.style.height = 'auto'
  el.style.height = el.scrollHeight + 'px'
}

async function attach(id: string, files: File[]): Promise<void> {
  const { taken, refused } = await filesOf(files)
  if (refused.length) toast(t('composer.cannot-attach', { name: refused.join(', ') }), true)
  write(id, { files: [...draft(id).peek()!.files, ...taken] })
}

function AttachButton({ id }: { id: string }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton icon="attach" label={t('composer.attach')} onClick={() => input.current?.click()} />
      <input ref={input} type="file" multiple hidden onChange={(e) => { void attach(id, [...(e.currentTarget.files ?? [])]); e.currentTarget.value = '' }} />
    </>
  )
}

function Chips({ id, files }: { id: string; files: Attachment[] }) {
  return (
    <ul class="chips" aria-label={t('composer.files')}>
      {files.map((f) => (
        <li key={f.name + files.indexOf(f)}>
          {f.picture?.url ? <img src={f.picture.url} alt="" /> : <Icon name="attach" size={13} />}
          <span dir="auto">{f.name}</span>
          {f.text !== undefined && <span class="num">{t('size.chars', { n: f.text.length })}</span>}
          <IconButton icon="cross" size={12} label={t('composer.remove-file', { name: f.name })} onClick={() => write(id, { files: files.filter((x) => x !== f) })} />
        </li>
      ))}
    </ul>
  )
}

/** Goes through what was said before, from an empty field. */
function useRecall(session: Session | undefined) {
  const at = useRef(0)
  return {
    reset: () => { at.current = 0 },
    move(step: -1 | 1, el: HTMLTextAreaElement): boolean {
      if (!session) return false
      const said = session.transcript.turns.flatMap((turn) => turn.items.flatMap((i) => (i.kind === 'said' ? [plain(i.content)] : [])))
      const shown = at.current < 0 ? said[said.length + at.current] : ''
      if (el.value !== (shown ?? '') || (step === 1 && at.current >= 0) || -(at.current + step) > said.length) return false
      at.current += step
      write(session.id, { text: at.current < 0 ? said[said.length + at.current]! : '' })
      return true
    },
  }
}

