// A task, new or changed. Bypass is saved only after a yes of the person.

import { useSignal } from '@preact/signals'
import { Refused, command } from '../../http'
import { t, word } from '../../i18n/t'
import { Button } from '../../parts/Button'
import { Confirm } from '../../parts/Dialog'
import { toast, wordsOf } from '../../state/toasts'
import { whenOf } from './task'
import type { When, Written } from './task'

const times: Record<When, string> = { cron: '0 7 * * 1-5', every: '24h', at: '2030-03-01 07:00' }

/** Without a task it makes a new one. */
export function TaskForm({ task, close }: { task?: Written; close: () => void }) {
  const edited = useSignal<Written>(task ?? { name: '', prompt: '', mode: 'plan' })
  const when = useSignal<When>(whenOf(edited.value))
  const asking = useSignal(false)
  const now = edited.value
  const time = now[when.value] ?? ''
  const edit = (field: keyof Written) => (e: { currentTarget: { value: string } }) => { edited.value = { ...edited.peek(), [field]: e.currentTarget.value } }
  const save = async (yes?: 'bypass') => {
    const { at: _at, every: _every, cron: _cron, from, ...rest } = now
    const keepsPace = when.value === 'every' && time === task?.every
    try {
      await command('', 'task.save', { ...rest, [when.value]: time, ...(keepsPace && from && { from }), ...(yes && { yes }) })
      close()
    } catch (e) {
      if (e instanceof Refused && e.code === 'needs-yes') { asking.value = true; return }
      const { text, details } = wordsOf(e)
      toast(text, true, details)
    }
  }
  return (
    <form class="connect task-form" onSubmit={(e) => { e.preventDefault(); void save() }}>
      <label class="wide"><span>{t('settings.key-name')}</span><input class="field" name="name" value={now.name} onInput={edit('name')} disabled={task !== undefined} dir="ltr" autocomplete="off" /></label>
      <label class="wide"><span>{t('task.prompt')}</span><textarea class="field" name="prompt" value={now.prompt} onInput={edit('prompt')} dir="auto" /></label>
      <label><span>{t('task.schedule')}</span>
        <select class="field" value={when.value} onChange={(e) => { when.value = e.currentTarget.value as When }}>{(Object.keys(times) as When[]).map((k) => <option key={k} value={k}>{word('task', 'kind-' + k)}</option>)}</select></label>
      <label><span>{t('task.value')}</span><input class="field" name="time" value={time} placeholder={times[when.value]} onInput={edit(when.value)} dir="ltr" autocomplete="off" /></label>
      <label><span>{t('task.zone')}</span><input class="field" value={now.zone ?? ''} placeholder={t('task.zone-own')} onInput={edit('zone')} dir="ltr" autocomplete="off" /></label>
      <label><span>{t('task.missed')}</span>
        <select class="field" value={now.missed || 'once'} onChange={edit('missed')}>{['once', 'skip'].map((m) => <option key={m} value={m}>{word('task', 'missed-' + m)}</option>)}</select></label>
      <label class="wide"><span>{t('task.folder')}</span><input class="field" value={now.folder ?? ''} onInput={edit('folder')} dir="ltr" autocomplete="off" /></label>
      <label class="wide"><span>{t('task.mode')}</span>
        <select class="field" name="mode" value={now.mode} onChange={edit('mode')}>{['plan', 'manual', 'bypass'].map((m) => <option key={m} value={m}>{word('mode', m)}</option>)}</select>
        <span>{word('task', 'unattended-' + now.mode)}</span></label>
      <div class="buttons">
        <button type="submit" class="btn primary" disabled={!now.name.trim() || !now.prompt.trim() || !time.trim()}>{t('task.save')}</button>
        <Button kind="text" onClick={close}>{t('cancel')}</Button>
      </div>
      {asking.value && <Confirm title={t('task.bypass-ask', { name: now.name })} text={t('task.unattended-bypass')} act={t('task.save')} bad close={() => { asking.value = false }} done={() => void save('bypass')} />}
    </form>
  )
}
