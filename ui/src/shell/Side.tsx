// The side column: new session, search, the list, the pages. A drawer on small screens.

import { t } from '../i18n/t'
import { IconButton } from '../parts/Button'
import { Icon, Logo } from '../parts/Icon'
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
        <a href="/_/settings" aria-current={place.value.page === 'settings' ? 'page' : undefined} onClick={follow({ page: 'settings' })}><Icon name="gear" />{t('settings.title')}</a>
      </nav>
    </aside>
  )
}
