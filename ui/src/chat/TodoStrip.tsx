// The plan of the running work in one line; open shows all of it.

import { t, word } from '../i18n/t'
import { Icon, Spin } from '../parts/Icon'
import type { Session } from '../state/session'
import type { TodoItem } from '../wire'
import { isUnfolded, unfold } from './folds'

const done = (i: TodoItem) => i.state === 'done' || i.state === 'completed'
const doing = (i: TodoItem) => i.state === 'doing' || i.state === 'in_progress'

export function TodoStrip({ session }: { session: Session }) {
  const items = session.facts.value.todo
  if (items.length === 0 || items.every(done)) return null
  const key = 'todo:' + session.id
  const open = isUnfolded(key, false)
  const now = items.find(doing) ?? items.find((i) => !done(i))
  return (
    <div class="todo">
      <button type="button" class="goal" aria-expanded={open} onClick={() => unfold(key, !open)}>
        <Icon name="list" size={15} class="st-run" />
        <span class="g" dir="auto"><b>{t('todo.title')}</b> · {now?.text}</span>
        <span class="rd num">{t('todo.of', { done: items.filter(done).length, n: items.length })}</span>
        <Icon name={open ? 'down' : 'chevron'} size={12} />
      </button>
      {open && (
        <ol>
          {items.map((i, n) => (
            <li key={n} class={done(i) ? 'done' : doing(i) ? 'doing' : ''}>
              {done(i) ? <Icon name="check" size={14} class="st-ok" /> : doing(i) ? <Spin /> : <Icon name="ring" size={12} class="st-mute" />}
              <span dir="auto"><span class="sr">{word('todo-state', done(i) ? 'done' : doing(i) ? 'doing' : 'open')}: </span>{i.text}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
