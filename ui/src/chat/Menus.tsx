// Mode, model and effort: what the next message is sent with.

import { useSignal } from '@preact/signals'
import { t, word } from '../i18n/t'
import type { Mode } from '../facts'
import { noFacts } from '../facts'
import { Choices } from '../parts/Choices'
import { Confirm } from '../parts/Dialog'
import { Icon } from '../parts/Icon'
import type { IconName } from '../parts/Icon'
import type { PopoverButton } from '../parts/Popover'
import { choose, inForce } from '../state/choice'
import { modelOf, models } from '../state/models'
import type { Session } from '../state/session'

const modes: Mode[] = ['manual', 'plan', 'bypass']

function opt(icon: IconName, label: string, name: string, cls: string, disabled = false) {
  return (p: PopoverButton) => (
    <button type="button" class={'opt ' + cls} aria-label={t('menu.now', { menu: name, value: label })} disabled={disabled} {...p}>
      <Icon name={icon} size={15} /><span class="lbl">{label}</span><Icon name="down" size={12} />
    </button>
  )
}

function useForce(session: Session | undefined) {
  return inForce(session?.id ?? '', session?.facts.value ?? noFacts)
}

export function modeName(mode: Mode): string { return word('mode', mode) ?? mode }

/** Choosing Bypass asks once. */
export function ModeMenu({ session }: { session: Session | undefined }) {
  const asking = useSignal(false)
  const id = session?.id ?? ''
  const { mode } = useForce(session)
  const pick = (m: Mode) => (m === 'bypass' && mode !== 'bypass' ? (asking.value = true) : choose(id, { mode: m }))
  return (
    <>
      <Choices label={t('menu.mode')} value={mode} pick={pick} button={opt('shield', modeName(mode), t('menu.mode'), 'mode-' + mode)}
        choices={modes.map((m) => ({ value: m, name: modeName(m), about: word('mode-about', m) ?? '' }))}
        more={() => <p class="menu-note">{session && session.status.value.state !== 'idle' ? t('menu.next-message') : ''}</p>} />
      {asking.value && <Confirm title={t('bypass.ask-title')} text={t('bypass.ask')} act={t('bypass.act')} bad close={() => { asking.value = false }} done={() => choose(id, { mode: 'bypass' })} />}
    </>
  )
}

export function ModelMenu({ session }: { session: Session | undefined }) {
  const { model } = useForce(session)
  const all = models.value ?? []
  const now = modelOf(model)
  if (all.length === 0) return null
  const name = now ? (now.title ?? now.name) : model
  return (
    <Choices label={t('menu.model')} value={now?.name ?? model} pick={(m) => choose(session?.id ?? '', { model: m })} button={opt('chip', name, t('menu.model'), 'model')}
      choices={all.map((m) => ({ value: m.name, name: m.title ?? m.name, ...(m.window && { about: t('model.window', { n: m.window }) }) }))} />
  )
}

export function EffortMenu({ session }: { session: Session | undefined }) {
  const { model, effort } = useForce(session)
  const levels = modelOf(model)?.efforts ?? []
  if (levels.length === 0) return null
  const label = (e: string) => word('effort', e || 'default') ?? e
  return (
    <Choices label={t('menu.effort')} value={effort} pick={(e) => choose(session?.id ?? '', { effort: e })} button={opt('spark', label(effort), t('menu.effort'), 'think-lv')}
      choices={['', ...levels.filter(Boolean)].map((e) => ({ value: e, name: label(e) }))} />
  )
}
