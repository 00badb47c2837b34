import { useSignal } from '@preact/signals'
import { month, t, word } from '../i18n/t'
import { Confirm } from '../parts/Dialog'
import { Icon, Spin } from '../parts/Icon'
import { IconButton } from '../parts/Button'
import { Popover } from '../parts/Popover'
import { moveFocus } from '../parts/Choices'
import { Ago } from '../parts/Time'
import { now } from '../state/clock'
import { composing } from '../state/keys'
import { follow, go, here } from '../state/route'
import { archive, isUnread, remove, rename, sessions } from '../state/sessions'
import { attempt, toast } from '../state/toasts'
import type { SessionRow } from '../wire'
import { groupsOf } from './groups'
import { drawerOpen } from './layout'

export function SessionList() {
  const all = sessions.value
  if (!all) return <div class="list" aria-busy="true"><div class="ghost" /><div class="ghost" /><div class="ghost" /></div>
  const groups = groupsOf(all, now.value)
  return (
    <div class="list">
      {groups.length === 0 && <p class="hint-text">{t('list.empty')}</p>}
      {groups.map((g) => (
        <section key={g.word || g.at}>
          <h2>{g.word ? word('day', g.word) : month(g.at)}</h2>
          <ul>{g.rows.map((s) => <li key={s.id}><SessionItem row={s} /></li>)}</ul>
        </section>
      ))}
    </div>
  )
}

function stateOf(s: SessionRow): { mark: preact.JSX.Element; says: string } {
  if (s.state === 'waiting') return { mark: <span class="dot wait" />, says: t('state.waiting') }
  if (s.state === 'working') return { mark: <Spin />, says: t('state.working') }
  if (s.state === 'failed') return { mark: <Icon name="cross" size={14} class="st-bad" />, says: t('state.failed') }
  if (isUnread(s)) return { mark: <span class="dot new-result" />, says: t('state.unread') }
  if (s.forkOf) return { mark: <Icon name="fork" size={14} class="st-mute" />, says: t('state.fork') }
  return { mark: <span />, says: '' }
}

function SessionItem({ row }: { row: SessionRow }) {
  const naming = useSignal(false)
  const deleting = useSignal(false)
  const { mark, says } = stateOf(row)
  const title = row.title || t('session.untitled')
  if (naming.value) return <NameField row={row} done={() => { naming.value = false }} />
  const open = follow({ page: 'session', id: row.id })
  return (
    <div class="sess-row">
      <a class="sess" href={'/s/' + row.id} aria-current={row.id === here() ? 'page' : undefined} title={[title, row.folder].filter(Boolean).join('\n')}
        onClick={(e) => { open(e); drawerOpen.value = false }} onDblClick={() => { naming.value = true }}>
        <span class="mark">{mark}{says && <span class="sr">{says}: </span>}</span>
        <span class="t" dir="auto">{title}</span>
        <span class="w"><Ago at={row.at} /></span>
        {row.state === 'waiting' && <span class="sub">{t('state.waiting-sub')}</span>}
      </a>
      <Popover label={t('session.menu', { title })} role="menu" class="menu" align="end" button={(p) => <IconButton icon="more" size={14} class="sess-more" label={t('session.menu', { title })} {...p} />}>
        {(close) => (
          <div onKeyDown={moveFocus}>
            <MenuItem icon="edit" text={t('session.rename')} run={() => { close(); naming.value = true }} />
            <MenuItem icon="archive" text={t('session.archive')} run={() => { close(); void attempt(archive(row.id, true).then(() => toast(t('session.archived', { title })))) }} />
            <MenuItem icon="trash" text={t('session.delete')} run={() => { close(); deleting.value = true }} />
          </div>
        )}
      </Popover>
      {deleting.value && <Confirm title={t('session.delete-title')} text={t('session.delete-ask', { title })} act={t('session.delete')} bad close={() => { deleting.value = false }}
        done={() => void attempt(remove(row.id).then(() => { if (here() === row.id) go({ page: 'new' }) }))} />}
    </div>
  )
}

export function MenuItem({ icon, text, run }: { icon: Parameters<typeof Icon>[0]['name']; text: string; run: () => void }) {
  return <button type="button" class="choice item" role="menuitem" onClick={run}><Icon name={icon} size={14} /><span class="nm">{text}</span></button>
}

const selectOnce = (el: HTMLInputElement | null) => { el?.focus(); el?.select() }

function NameField({ row, done }: { row: SessionRow; done: () => void }) {
  const save = (value: string) => {
    const title = value.trim()
    if (title && title !== row.title) void attempt(rename(row.id, title))
    done()
  }
  return (
    <input class="name-field" aria-label={t('session.rename')} defaultValue={row.title} dir="auto" ref={selectOnce}
      onBlur={(e) => save(e.currentTarget.value)}
      onKeyDown={(e) => {
        if (composing(e)) return
        if (e.key === 'Enter') save(e.currentTarget.value)
        else if (e.key === 'Escape') done()
      }} />
  )
}
