// One slim bar under the header: the connection, a newer server, a session that cannot be saved.

import { useEffect } from 'preact/hooks'
import { duration, t } from '../i18n/t'
import { Mini } from '../parts/Button'
import { now } from '../state/clock'
import { alert } from '../state/announce'
import { outdated } from '../state/host'
import type { Session } from '../state/session'
import { listLink, retryList } from '../state/sessions'

/** A lost connection is news after this long. */
const patience = 3000

export function LinkBar({ session }: { session: Session | undefined }) {
  const link = session ? session.link.value : listLink.value
  const lost = link?.state === 'lost' && now.value - link.since > patience
  useEffect(() => { if (lost) alert(t('link.lost')) }, [lost])
  if (link?.state === 'lost' && lost) {
    const left = link.retryAt - now.value
    return <div class="linkbar" role="status"><span>{left > 500 ? t('link.retry', { time: duration(left) }) : t('link.trying')}</span><Mini onClick={() => (session ? session.retryNow() : retryList())}>{t('link.now')}</Mini></div>
  }
  if (link?.state === 'refused') return <div class="linkbar bad" role="alert"><span>{t('link.refused')}</span></div>
  if (session?.held.value) return <div class="linkbar" role="status"><span>{t('link.held')}</span></div>
  if (outdated.value) return <div class="linkbar" role="status"><span>{t('link.outdated')}</span><Mini onClick={() => location.reload()}>{t('link.reload')}</Mini></div>
  return null
}
