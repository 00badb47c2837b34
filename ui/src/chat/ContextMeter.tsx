// How full the model's window is.

import { count, percent, t } from '../i18n/t'
import { Popover } from '../parts/Popover'
import type { Session } from '../state/session'

export function ContextMeter({ session }: { session: Session }) {
  const c = session.facts.value.context
  if (!c) return null
  const part = c.used / c.window
  const level = c.soon ? 'bad' : part >= 0.7 ? 'high' : ''
  return (
    <Popover label={t('context.title')} role="dialog" align="end" class="panel" button={(p) => (
      <button type="button" class={'meter ' + level} aria-label={t('context.says', { percent: percent(part), used: count(c.used), window: count(c.window) })} {...p}>
        <span class="ring" style={{ '--v': Math.round(part * 100) }} /><span class="num">{percent(part)}</span>
      </button>
    )}>
      {() => (
        <div class="context">
          <h3>{t('context.title')}</h3>
          <p class="num">{t('context.used', { used: count(c.used), window: count(c.window) })}</p>
          <p class="quiet">{c.measured ? t('context.measured') : t('context.estimated')}{c.soon ? ' ' + t('context.soon') : ''}</p>
        </div>
      )}
    </Popover>
  )
}
