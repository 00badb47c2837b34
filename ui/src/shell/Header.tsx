import type { ComponentChildren } from 'preact'
import { t } from '../i18n/t'
import { IconButton } from '../parts/Button'
import { prefs, prefer } from '../state/prefs'
import { unreadCount, waitingCount } from '../state/sessions'
import { drawerOpen, wide } from './layout'

export function Header({ title, where, children }: { title: string; where: string; children?: ComponentChildren }) {
  const waiting = waitingCount.value, unread = unreadCount.value
  const says = waiting ? t('header.waits', { n: waiting }) : unread ? t('header.unread', { n: unread }) : t('header.sessions')
  const open = () => (wide.matches ? prefer({ sideHidden: false }) : (drawerOpen.value = true))
  return (
    <header class="top">
      <IconButton icon="menu" class={'menu-btn' + (prefs.value.sideHidden ? ' always' : '')} label={says} onClick={open}>
        {(waiting > 0 || unread > 0) && <i class={waiting ? 'wait' : ''} />}
      </IconButton>
      <div class="title"><h1 dir="auto">{title}</h1>{where && <div class="where mono" dir="ltr">{where}</div>}</div>
      {children && <div class="right">{children}</div>}
    </header>
  )
}
