// Every other section of the host's settings, drawn from what it says of its fields:
// a new one needs no page of its own. Saved at once; a failed save puts the old value back.

import { useSignal } from '@preact/signals'
import { t } from '../../i18n/t'
import { Icon } from '../../parts/Icon'
import { changeSettings, settings } from '../../state/settings'
import type { Field, Section } from '../../state/settings'
import { attempt } from '../../state/toasts'
import { Part, Row, Switch } from './Row'

/** Sections with a place of their own on the page. */
const elsewhere = new Set(['look'])

export function Sections() {
  return <>{(settings.value?.sections ?? []).filter((s) => !elsewhere.has(s.name) && s.fields.some(isSimple)).map((s) => <One key={s.name} section={s} />)}</>
}

function isSimple(f: Field): boolean { return f.type !== 'map' && f.type !== 'any' && !/[*[]/.test(f.key) }

function One({ section }: { section: Section }) {
  return (
    <Part id={'section-' + section.name} title={section.name === 'models' ? t('settings.models-more') : named(section.name)} about={section.doc}>
      {section.fields.filter(isSimple).map((f) => <FieldRow key={f.key} section={section} field={f} />)}
    </Part>
  )
}

function FieldRow({ section, field }: { section: Section; field: Field }) {
  const key = section.name + '.' + field.key
  const value = at(section.values, field.key)
  const saved = useSignal(false)
  const failures = useSignal(0) // a new key draws the field again, with the value that holds
  const save = async (next: unknown) => {
    const ok = await attempt(changeSettings({ [key]: next }).then(() => true))
    if (!ok) { failures.value++; return }
    saved.value = true
    setTimeout(() => { saved.value = false }, 2000)
  }
  return (
    <Row name={named(field.key)} about={field.doc}>
      {saved.value && <span class="saved" role="status"><Icon name="check" size={13} class="st-ok" />{t('settings.saved')}</span>}
      <Control key={failures.value} name={field.key} field={field} value={value} save={(v) => void save(v)} />
    </Row>
  )
}

function Control({ name, field, value, save }: { name: string; field: Field; value: unknown; save: (v: unknown) => void }) {
  if (field.type === 'switch') return <Switch name={name} on={value === true} set={save} />
  if (field.options?.length) {
    return <select class="field" aria-label={name} value={String(value ?? '')} onChange={(e) => save(e.currentTarget.value)}>{field.options.map((o) => <option key={o}>{o}</option>)}</select>
  }
  const text = field.type === 'list' ? ((value as unknown[] | null) ?? []).join('\n') : String(value ?? '')
  const read = (raw: string): unknown => {
    if (raw.trim() === '') return null
    if (field.type === 'list') return raw.split('\n').map((l) => l.trim()).filter(Boolean)
    return field.type === 'number' || field.type === 'whole' ? Number(raw) : raw.trim()
  }
  const change = (e: { currentTarget: { value: string } }) => { if (e.currentTarget.value !== text) save(read(e.currentTarget.value)) }
  if (field.type === 'list') return <textarea class="field" rows={2} aria-label={name} dir="ltr" defaultValue={text} onChange={change} />
  return <input class="field" aria-label={name} dir="auto" defaultValue={text} inputMode={field.type === 'number' || field.type === 'whole' ? 'numeric' : 'text'} onChange={change} />
}

/** "max-steps" as a person writes it. */
function named(key: string): string {
  const words = key.replace(/[-_.]/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function at(values: Record<string, unknown>, path: string): unknown {
  return path.split('.').reduce<unknown>((v, k) => (v as Record<string, unknown> | undefined)?.[k], values)
}
