// Keys, standing permissions and signed-in browsers: what has access to what.

import { useSignal } from '@preact/signals'
import { ago, t } from '../../i18n/t'
import { Button } from '../../parts/Button'
import { CopyButton } from '../../parts/CopyButton'
import { now } from '../../state/clock'
import { useView } from '../../state/view'
import { Part, Row } from './Row'

interface Key { name: string; source: string }

export function Keys() {
  const { value, act } = useView<Key[] | null>('credentials')
  const name = useSignal('')
  const secret = useSignal('')
  if (value.value === undefined) return null
  const save = async () => {
    if (!name.value.trim() || !secret.value) return
    if (await act('credential.save', { name: name.value.trim(), value: secret.value })) name.value = secret.value = ''
  }
  return (
    <Part id="keys" title={t('settings.keys')} about={t('settings.keys-about')}>
      {(value.value ?? []).map((k) => (
        <Row key={k.name} name={k.name} about={t('settings.key-kept', { source: k.source })}>
          {k.source !== 'environment' && <Button kind="text" onClick={() => void act('credential.forget', { name: k.name })}>{t('settings.key-remove')}</Button>}
        </Row>
      ))}
      <form class="setting" onSubmit={(e) => { e.preventDefault(); void save() }}>
        <input class="field" aria-label={t('settings.key-name')} placeholder={t('settings.key-name')} value={name.value} onInput={(e) => { name.value = e.currentTarget.value }} dir="ltr" autocomplete="off" />
        <input class="field" type="password" aria-label={t('settings.key-value')} placeholder={t('settings.key-value')} value={secret.value} onInput={(e) => { secret.value = e.currentTarget.value }} autocomplete="off" />
        <button type="submit" class="btn">{t('settings.key-save')}</button>
      </form>
    </Part>
  )
}

interface Rule { id: string; folder: string; command?: string; pattern?: string; below?: string }

export function Rules() {
  const { value, act } = useView<{ rules: Rule[] }>('rules')
  if (value.value === undefined) return null
  return (
    <Part id="rules" title={t('settings.rules')}>
      {value.value.rules.map((r) => (
        <Row key={r.id} name={<code>{r.command ?? r.pattern ?? r.below ?? r.id}</code>} about={<span dir="ltr">{r.folder}</span>}>
          {!r.command && <Narrow from={r.pattern ?? r.below ?? ''} to={(to) => act('rule.narrow', { id: r.id, to })} />}
          <Button kind="text" onClick={() => void act('rule.revoke', { id: r.id })}>{t('settings.rule-revoke')}</Button>
        </Row>
      ))}
      {value.value.rules.length === 0 && <p class="quiet">{t('settings.rules-none')}</p>}
    </Part>
  )
}

/** A field that lets a rule cover less; the host refuses what would be more. */
function Narrow({ from, to }: { from: string; to: (text: string) => Promise<unknown> }) {
  const text = useSignal<string | undefined>(undefined)
  if (text.value === undefined) return <Button kind="text" onClick={() => { text.value = from }}>{t('settings.rule-narrow')}</Button>
  return (
    <form class="setting" onSubmit={(e) => { e.preventDefault(); void to(text.value!).then((done) => { if (done) text.value = undefined }) }}>
      <input class="field" aria-label={t('settings.rule-narrow')} value={text.value} onInput={(e) => { text.value = e.currentTarget.value }} dir="ltr" autocomplete="off" />
      <button type="submit" class="btn" disabled={text.value === from}>{t('settings.rule-narrow')}</button>
    </form>
  )
}

interface Trusted { folder: string; accepted?: Record<string, string>; refused?: Record<string, string> }

/** What was answered about files that folders bring along. */
export function Folders() {
  const { value, act } = useView<{ folders: Trusted[] }>('trust')
  if (!value.value?.folders.length) return null
  return (
    <Part id="folders" title={t('settings.folders')}>
      {value.value.folders.map((f) => (
        <Row key={f.folder} name={<span dir="ltr">{f.folder}</span>} about={<>
          {Object.keys(f.accepted ?? {}).map((path) => <span key={path}>{t('settings.folder-accepted', { path })} </span>)}
          {Object.keys(f.refused ?? {}).map((path) => <span key={path}>{t('settings.folder-refused', { path })} </span>)}
        </>}>
          <Button kind="text" onClick={() => void act('trust.revoke', { folder: f.folder })}>{t('settings.folder-forget')}</Button>
        </Row>
      ))}
    </Part>
  )
}

interface Device { id: string; name: string; seen: number }

export function Devices() {
  const { value, act } = useView<Device[] | null>('devices')
  const link = useSignal('')
  if (value.value === undefined) return null
  const make = async () => {
    const made = (await act('login.link', {})) as { link: string } | undefined
    link.value = made?.link ?? ''
  }
  return (
    <Part id="devices" title={t('settings.devices')}>
      {(value.value ?? []).map((d) => (
        <Row key={d.id} name={d.name} about={d.seen > 0 && t('settings.device-seen', { when: ago(d.seen, now.value) })}>
          {d.id !== 'local' && <Button kind="text" onClick={() => void act('device.revoke', { id: d.id })}>{t('settings.device-out')}</Button>}
        </Row>
      ))}
      {link.value
        ? <div class="link-once" data-copy><p class="quiet">{t('settings.device-link-once')}</p><pre class="whole">{link.value}</pre><CopyButton text={() => link.value} /></div>
        : <div><Button onClick={() => void make()}>{t('settings.device-link')}</Button></div>}
    </Part>
  )
}
