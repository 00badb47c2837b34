// A plan: while it is written in the colour of notes, when it is whole it waits for
// the person. It starts in the mode they pick, Bypass never by the first button.

import { useSignal } from '@preact/signals'
import { t } from '../i18n/t'
import type { Call } from '../items'
import { readDraft } from '../draft'
import { Button } from '../parts/Button'
import { moveFocus } from '../parts/Choices'
import { Confirm } from '../parts/Dialog'
import { Icon, Spin } from '../parts/Icon'
import { Popover } from '../parts/Popover'
import { choose } from '../state/choice'
import { ConsultFrame } from './ConsultFrame'
import type { Consulting } from './ConsultFrame'
import { useSession } from './context'
import { Markdown } from './ReplyRow'
import { draftText } from './StepRow'

export function PlanDraft({ item }: { item: Call }) {
  const session = useSession()
  void session.pulse(item.message ?? '').value
  return (
    <section class="plan-draft" aria-busy="true">
      <header><Spin /><span>{t('plan.writing')}</span></header>
      <Markdown text={readDraft(draftText(session, item)).body} done={false} />
    </section>
  )
}

export function PlanCard({ item }: { item: Call }) {
  return <ConsultFrame item={item} title={t('ask.plan')} body={<div class="plan-text"><Markdown text={item.plan!.text} done /></div>} buttons={(c) => <Deciding {...c} />} />
}

function Deciding({ able, read, act }: Consulting) {
  const session = useSession()
  const changing = useSignal(false)
  const note = useSignal('')
  const asking = useSignal(false)
  const start = async (mode: 'manual' | 'bypass') => {
    if (await act('plan.decide', { decision: 'approved', mode, text: t('plan.go') })) choose(session.id, { mode })
  }
  if (changing.value) {
    return (
      <>
        <textarea class="note-field" rows={2} dir="auto" aria-label={t('plan.change-label')} placeholder={t('plan.change-label')} value={note.value} ref={focusOnce} onInput={(e) => { note.value = e.currentTarget.value }} />
        <Button disabled={!able || !note.value.trim()} onClick={() => void act('plan.decide', { decision: 'discuss', note: note.value.trim() })}>{t('plan.change-send')}</Button>
        <Button kind="text" onClick={() => { changing.value = false }}>{t('back')}</Button>
      </>
    )
  }
  const noEnter = (e: KeyboardEvent) => { if (e.key === 'Enter') e.preventDefault() } // plain Enter never approves
  return (
    <>
      <span class="approve">
        <Button kind="go" disabled={!able || !read} title={read ? undefined : t('ask.read-first')} onKeyDown={noEnter} onClick={() => void start('manual')}>{t('plan.manual')}</Button>
        <Popover label={t('plan.otherwise')} role="menu" class="menu" button={(p) => <button type="button" class="btn go wider" aria-label={t('plan.otherwise')} disabled={!able || !read} {...p}><Icon name="down" size={14} /></button>}>
          {(close) => (
            <div onKeyDown={moveFocus}>
              <button type="button" class="choice" role="menuitem" onClick={() => { close(); asking.value = true }}><span class="nm">{t('plan.bypass')}</span><span class="ds">{t('mode-about.bypass')}</span></button>
            </div>
          )}
        </Popover>
      </span>
      <Button disabled={!able} data-first onClick={() => { changing.value = true }}>{t('plan.change')}</Button>
      <Button kind="text" class="drop" disabled={!able} onClick={() => void act('plan.decide', { decision: 'dropped' })}>{t('plan.drop')}</Button>
      {asking.value && <Confirm title={t('bypass.ask-title')} text={t('bypass.ask')} act={t('bypass.act')} bad close={() => { asking.value = false }} done={() => void start('bypass')} />}
    </>
  )
}

/** Focuses a field as it appears; a stable function, so once. */
const focusOnce = (el: HTMLElement | null) => el?.focus()
