// A question that waits: loud, whole, and safe to answer. Nothing has run yet.

import { useEffect, useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { t, word } from '../i18n/t'
import type { Call } from '../items'
import { Button } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { Popover } from '../parts/Popover'
import { moveFocus } from '../parts/Choices'
import { prefs } from '../state/prefs'
import { wordsOf } from '../state/toasts'
import { Refused } from '../http'
import type { Card } from '../wire'
import { CardHead, PartView, longestPart } from './CardPayload'
import { useSession } from './context'
import { useSettled } from './settled'

/** Lines drawn at once; Approve waits until the rest was shown. */
const mostLines = 2000

export function AskCard({ item }: { item: Call }) {
  const session = useSession()
  const ref = useRef<HTMLElement>(null)
  const card = item.asked!.card
  const busy = useSignal(false)
  const failure = useSignal('')
  const writing = useSignal(false)
  const note = useSignal('')
  const restShown = useSignal(longestPart(card) <= mostLines)
  const { settled, endSeen, endRef, steady } = useSettled(ref)
  const waiting = session.waiting.value
  const connected = session.connected.value
  const able = connected && !busy.value
  const readable = restShown.value && endSeen

  // Another payload under the same call is another question.
  useEffect(() => { failure.value = ''; busy.value = false }, [item.asked!.hash])

  const answer = async (decision: 'approve' | 'deny', more: { note?: string; rule?: string } = {}) => {
    if (!able || !steady() || (decision === 'approve' && !readable)) return
    busy.value = true
    failure.value = ''
    try {
      const held = ref.current?.contains(document.activeElement)
      await session.answer(item.call!, item.asked!.hash, decision, more)
      if (held && matchMedia('(pointer: fine)').matches) document.querySelector<HTMLElement>('[data-composer]')?.focus()
    } catch (e) {
      failure.value = e instanceof Refused && e.status === 404 ? t('ask.gone') : wordsOf(e).text
      busy.value = false
    }
  }

  const onKey = (e: KeyboardEvent) => {
    const typing = e.target instanceof HTMLTextAreaElement || e.isComposing || e.keyCode === 229
    if (typing || e.ctrlKey || e.metaKey || e.altKey || !prefs.value.shortcuts) return
    const key = e.key.toLowerCase()
    if (key === 'y') void answer('approve')
    else if (key === 'n') void answer('deny')
    else return
    e.preventDefault()
  }

  const reason = !connected ? t('ask.disconnected') : !restShown.value ? t('ask.show-rest-first') : !endSeen ? t('ask.read-first') : ''
  return (
    <section ref={ref} class="ask" role="group" aria-labelledby={item.key + '-t'} tabIndex={-1} data-ask={item.call} onKeyDown={onKey}>
      <header>
        <Icon name="alert" size={18} />
        <h2 class="k" id={item.key + '-t'}>{word('ask', card.title) ?? t('ask.use-tool')}</h2>
        {waiting.length > 1 && <span class="n num">{t('ask.of', { at: waiting.findIndex((w) => w.key === item.key) + 1, n: waiting.length })}</span>}
      </header>
      <CardHead card={card} waiting />
      {(card.parts ?? []).map((p, i) => <PartView key={i} part={p} card={card} seen={() => { restShown.value = true }} />)}
      <div class="end-mark" ref={endRef} />
      <div class={'answer' + (settled ? '' : ' settling')}>
        {writing.value ? (
          <>
            <label class="sr" for={item.key + '-note'}>{t('ask.note-label')}</label>
            <textarea id={item.key + '-note'} class="note-field" rows={2} ref={focusOnce} dir="auto" placeholder={t('ask.note-hint')} value={note.value}
              onInput={(e) => { note.value = e.currentTarget.value }} />
            <Button disabled={!able} onClick={() => void answer('deny', { note: note.value.trim() })}>{t('ask.deny')}</Button>
            <Button kind="text" onClick={() => { writing.value = false }}>{t('back')}</Button>
          </>
        ) : (
          <>
            <Approve card={card} able={able && readable} reason={reason} answer={(rule) => void answer('approve', rule ? { rule } : {})} />
            <Button class="deny" disabled={!able} title={connected ? undefined : reason} onClick={() => void answer('deny')}>{t('ask.deny')}<Kbd k="N" /></Button>
            <Button kind="text" class="why-not" disabled={!able} aria-label={t('ask.deny-why')} onClick={() => { writing.value = true }}>
              <span class="full">{t('ask.deny-why')}</span><span class="dots" aria-hidden="true">…</span>
            </Button>
          </>
        )}
        {(reason || failure.value) && <p class="why-off" role="status">{failure.value || reason}</p>}
      </div>
    </section>
  )
}

/** Focuses a field as it appears; a stable function, so once. */
const focusOnce = (el: HTMLElement | null) => el?.focus()

function Kbd({ k }: { k: string }) { return prefs.value.shortcuts ? <kbd aria-hidden="true">{k}</kbd> : null }

/** Approve, and behind it the wider permissions that the gate offers, each with exactly what it covers. */
function Approve({ card, able, reason, answer }: { card: Card; able: boolean; reason: string; answer: (rule?: string) => void }) {
  // Plain Enter never approves; Space and a click do.
  const noEnter = (e: KeyboardEvent) => { if (e.key === 'Enter') e.preventDefault() }
  const wider = card.grave ? [] : (card.wider ?? [])
  return (
    <span class="approve">
      <Button kind="go" disabled={!able} title={reason || undefined} onKeyDown={noEnter} onClick={() => answer()}>{t('ask.approve')}<Kbd k="Y" /></Button>
      {wider.length > 0 && (
        <Popover label={t('ask.wider')} role="menu" class="menu" button={(p) => <button type="button" class="btn go wider" aria-label={t('ask.wider')} disabled={!able} {...p}><Icon name="down" size={14} /></button>}>
          {(close) => (
            <div onKeyDown={moveFocus}>
              <div class="menu-title" aria-hidden="true">{t('ask.wider')}</div>
              {wider.map((w) => (
                <button key={w.id} type="button" class="choice" role="menuitem" onKeyDown={noEnter} onClick={() => { close(); answer(w.id) }}>
                  <span class="nm" dir="auto">{(w.key && word('', w.key, w.values ?? {})) || w.label}</span><span class="ds">{word('scope', w.scope)}</span>
                </button>
              ))}
            </div>
          )}
        </Popover>
      )}
    </span>
  )
}
