// The frame of a question or a plan that waits: amber, at its place, its buttons at
// the lower edge. A press in its first half second is not taken.

import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { t } from '../i18n/t'
import type { Call } from '../items'
import { Icon } from '../parts/Icon'
import { Refused } from '../http'
import { wordsOf } from '../state/toasts'
import { useSession } from './context'
import { useSettled } from './settled'

export interface Consulting {
  /** False while nothing can be answered. */
  able: boolean
  /** The end of the card has been in view. */
  read: boolean
  /** True once the card has stood still for half a second. */
  steady: () => boolean
  /** Uses a command of the session about this call; true once the server has it. */
  act: (command: string, args: object) => Promise<boolean>
}

export function ConsultFrame({ item, title, at, body, buttons }: { item: Call; title: string; at?: string; body: ComponentChildren; buttons: (c: Consulting) => ComponentChildren }) {
  const session = useSession()
  const ref = useRef<HTMLElement>(null)
  const busy = useSignal(false)
  const failure = useSignal('')
  const { settled, endSeen, endRef, steady } = useSettled(ref)
  const connected = session.connected.value
  const waiting = session.waiting.value
  const act = async (command: string, args: object) => {
    if (!connected || busy.value || !steady()) return false
    busy.value = true
    failure.value = ''
    try {
      await session.command(command, { call: item.call, ...args })
      return true
    } catch (e) {
      failure.value = e instanceof Refused && e.status === 404 ? t('ask.gone') : wordsOf(e).text
      busy.value = false
      return false
    }
  }
  const why = !connected ? t('ask.disconnected') : failure.value
  return (
    <section ref={ref} class="ask consult" role="group" aria-labelledby={item.key + '-t'} tabIndex={-1} data-ask={item.call}>
      <header>
        <Icon name="alert" size={18} />
        <h2 class="k" id={item.key + '-t'}>{title}</h2>
        {(at || waiting.length > 1) && <span class="n num">{at || t('ask.of', { at: waiting.findIndex((w) => w.key === item.key) + 1, n: waiting.length })}</span>}
      </header>
      {body}
      <div class="end-mark" ref={endRef} />
      <div class={'answer' + (settled ? '' : ' settling')}>
        {buttons({ able: connected && !busy.value, read: endSeen, steady, act })}
        {why && <p class="why-off" role="status">{why}</p>}
      </div>
    </section>
  )
}
