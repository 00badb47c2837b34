// The side column: new session, search, the list, the pages. A drawer on small screens.

import { t } from '../i18n/t'
import { IconButton } from '../parts/Button'
import { Icon, Logo } from '../parts/Icon'
import type { IconName } from '../parts/Icon'
import { keyNames } from '../state/keys'
import { prefer } from '../state/prefs'
import { follow, go, place } from '../state/route'
import { drawerOpen, findOpen, wide } from './layout'
import { SessionList } from './SessionList'

export function Side() {
  const hide = () => (wide.matches ? prefer({ sideHidden: true }) : (drawerOpen.value = false))
  return (
    <aside class={'side' + (drawerOpen.value ? ' open' : '')} aria-label={t('side.name')} data-region="sessions">
      <div class="brand"><Logo /><span>Fairlead</span><IconButton icon="column" label={t('side.hide')} onClick={hide} /></div>
      <button type="button" class="new" onClick={() => { go({ page: 'new' }); drawerOpen.value = false }}>
        <Icon name="plus" />{t('session.new')}<kbd>{keyNames({ key: 'o', ctrl: true, shift: true })}</kbd>
      </button>
      <button type="button" class="find" onClick={() => { findOpen.value = true }}>
        <Icon name="search" />{t('find.open')}<kbd>{keyNames({ key: 'k', ctrl: true })}</kbd>
      </button>
      <SessionList />
      <nav class="nav" aria-label={t('side.pages')}>
        <Page to="tasks" icon="clock">{t('task.title')}</Page>
        <Page to="monitor" icon="chip">{t('monitor.title')}</Page>
        <Page to="graph" icon="graph">{t('graph.title')}</Page>
        <Page to="settings" icon="gear">{t('settings.title')}</Page>
      </nav>
    </aside>
  )
}

function Page({ to, icon, children }: { to: 'graph' | 'tasks' | 'monitor' | 'settings'; icon: IconName; children: string }) {
  const go = follow({ page: to })
  return <a href={'/_/' + to} aria-current={place.value.page === to ? 'page' : undefined} onClick={(e) => { go(e); drawerOpen.value = false }}><Icon name={icon} />{children}</a>
}
