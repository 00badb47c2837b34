// One task in the list; open, all that is known of it.

import { useSignal } from '@preact/signals'
import { command } from '../../http'
import { list, t, word } from '../../i18n/t'
import { Button } from '../../parts/Button'
import { Confirm } from '../../parts/Dialog'
import { Icon } from '../../parts/Icon'
import { Ago } from '../../parts/Time'
import { now } from '../../state/clock'
import { follow } from '../../state/route'
import { attempt } from '../../state/toasts'
import { useWatched } from '../../state/view'
import { Switch } from '../settings/Row'
import { TaskForm } from './TaskForm'
import { inWords, whenOf, written } from './task'
import type { Past, Task } from './task'

export function TaskRow({ task }: { task: Task }) {
  const open = useSignal(false)
  const next = task.off ? t('task.off') : task.next[0] ? inWords(Date.parse(task.next[0]), now.value, task.zone) : t('task.no-next')
  const state = task.running ? 'started' : task.last?.outcome
  return (
    <li class="task" data-task={task.name}>
      <div class="task-head">
        <button type="button" class="line" aria-expanded={open.value} onClick={() => { open.value = !open.value }}>
          <Icon name={open.value ? 'down' : 'chevron'} size={14} class="st-mute" />
          <span class="nm" dir="ltr">{task.name}</span>
          <span class="ds">{list([next, word('mode', task.mode) ?? task.mode, ...(state ? [word('task', 'was-' + state) ?? state] : [])])}</span>
          {task.problem && <span class="ds bad-words" dir="auto">{task.problem}</span>}
        </button>
        <Switch name={t('task.switch', { name: task.name })} on={!task.off} set={(on) => void attempt(command('', 'task.switch', { name: task.name, on }))} />
      </div>
      {open.value && <Details name={task.name} />}
    </li>
  )
}

function Details({ name }: { name: string }) {
  const task = useWatched<Task[]>('tasks?name=' + encodeURIComponent(name)).value?.[0]
  const editing = useSignal(false)
  const removing = useSignal(false)
  if (!task) return <div class="task-body" aria-busy="true" />
  if (editing.value) return <div class="task-body"><TaskForm task={written(task)} close={() => { editing.value = false }} /></div>
  const when = whenOf(task)
  return (
    <div class="task-body">
      <h2>{t('task.prompt')}</h2><p dir="auto">{task.prompt}</p>
      <h2>{t('task.schedule')}</h2><p>{word('task', 'kind-' + when)}: <code>{task[when]}</code> {task.zone}</p>
      {task.next.length > 0 && <><h2>{t('task.next')}</h2><p>{task.next.map((at) => inWords(Date.parse(at), now.value, task.zone)).join('\n')}</p></>}
      {task.folder && <><h2>{t('task.folder')}</h2><p><code>{task.folder}</code></p></>}
      <h2>{t('task.mode')}</h2><p>{word('mode', task.mode)}{'\n'}<span class="quiet">{word('task', 'unattended-' + task.mode)}</span></p>
      <div class="buttons">
        <Button onClick={() => void attempt(command('', 'task.run', { name }))} disabled={task.running === true}>{t('task.run')}</Button>
        <Button onClick={() => { editing.value = true }}>{t('task.edit')}</Button>
        <Button kind="text" onClick={() => { removing.value = true }}>{t('settings.key-remove')}</Button>
      </div>
      <h2>{t('task.history')}</h2>
      {task.history?.length ? <ul>{task.history.map((p) => <li key={p.due + p.outcome}><PastLine past={p} /></li>)}</ul> : <p class="quiet">{t('task.no-history')}</p>}
      {removing.value && <Confirm title={t('task.remove-ask', { name })} text={t('task.remove-about')} act={t('settings.key-remove')} bad close={() => { removing.value = false }} done={() => void attempt(command('', 'task.remove', { name }))} />}
    </div>
  )
}

function PastLine({ past: p }: { past: Past }) {
  return (
    <>
      <b>{word('task', 'was-' + p.outcome) ?? p.outcome}</b> <span class="quiet"><Ago at={Date.parse(p.due)} /></span>
      {p.session && <> <a href={'/s/' + p.session} onClick={follow({ page: 'session', id: p.session })}>{t('task.session')}</a></>}
      {p.text && <p class="quiet" dir="auto">{p.text}</p>}
    </>
  )
}
