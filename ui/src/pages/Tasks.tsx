import '../shell/App' // what the pages share with it is then one file, not one for each pair
// Prompts that are sent at set times: when next, what became of them, new ones.

import { useSignal } from '@preact/signals'
import { t } from '../i18n/t'
import { Button } from '../parts/Button'
import { Header } from '../shell/Header'
import { LinkBar } from '../shell/LinkBar'
import { useWatched } from '../state/view'
import { TaskForm } from './tasks/TaskForm'
import { TaskRow } from './tasks/TaskRow'
import type { Task } from './tasks/task'

export default function Tasks() {
  const tasks = useWatched<Task[]>('tasks')
  const making = useSignal(false)
  return (
    <main class="main" id="main">
      <Header title={t('task.title')} where="" />
      <LinkBar session={undefined} />
      <div class="scroll" tabIndex={-1} data-region="transcript">
        <div class="col tasks" aria-busy={tasks.value === undefined}>
          <p class="quiet">{t('task.about')}</p>
          {making.value ? <TaskForm close={() => { making.value = false }} /> : <div class="buttons"><Button kind="primary" onClick={() => { making.value = true }}>{t('task.new')}</Button></div>}
          {tasks.value?.length === 0 && <p class="quiet">{t('task.none')}</p>}
          <ul class="tasks">{tasks.value?.map((task) => <TaskRow key={task.name} task={task} />)}</ul>
        </div>
      </div>
    </main>
  )
}
