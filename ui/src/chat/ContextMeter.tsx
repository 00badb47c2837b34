// How full the model's window is, with what, and what the session cost.

import { count, money, percent, t, word } from '../i18n/t'
import { contextParts } from '../facts'
import type { Context } from '../facts'
import { Button } from '../parts/Button'
import { Popover } from '../parts/Popover'
import type { Session } from '../state/session'
import { attempt } from '../state/toasts'

export function ContextMeter({ session }: { session: Session }) {
  const { context: c, spent } = session.facts.value
  if (!c) return null
  const part = c.used / c.window
  const level = c.soon ? 'bad' : part >= 0.7 ? 'high' : ''
  return (
    <Popover label={t('context.title')} role="dialog" align="end" class="panel" button={(p) => (
      <button type="button" class={'meter ' + level} aria-label={t('context.says', { percent: percent(part), used: count(c.used), window: count(c.window) })} {...p}>
        <span class="ring" style={{ '--v': Math.round(part * 100) }} /><span class="num">{percent(part)}</span>
      </button>
    )}>
      {(close) => (
        <div class="context">
          <h3>{t('context.title')}</h3>
          <p class="num">{t('context.used', { used: count(c.used), window: count(c.window) })}</p>
          <p class="quiet">{c.measured ? t('context.measured') : t('context.estimated')}{c.soon ? ' ' + t('context.soon') : ''}</p>
          {c.parts && <Parts context={c} parts={c.parts} />}
          {spent && <p class="spent"><b>{t('context.cost')}</b> {spent.usd === undefined ? t('context.cost-unknown') : money(spent.usd)}{spent.usd !== undefined && spent.unpriced > 0 && <span class="quiet"> {t('context.cost-part', { n: spent.unpriced })}</span>}</p>}
          <Button disabled={session.status.value.state !== 'idle'} onClick={() => { close(); void attempt(session.command('context.compact', {})) }}>{t('context.compact')}</Button>
        </div>
      )}
    </Popover>
  )
}

function Parts({ context, parts }: { context: Context; parts: NonNullable<Context['parts']> }) {
  const rows = [...contextParts.map((name) => ({ name: name as string, tokens: parts[name] ?? 0 })).filter((r) => r.tokens > 0), { name: 'free', tokens: Math.max(0, context.window - context.used) }]
  return (
    <>
      <div class="fill" aria-hidden="true">{rows.map((r) => <i key={r.name} class={'of-' + r.name} style={{ flexGrow: r.tokens }} />)}</div>
      <dl>{rows.map((r) => <div key={r.name}><dt><i class={'of-' + r.name} aria-hidden="true" />{word('context', 'part-' + r.name)}</dt><dd class="num">{count(r.tokens)}</dd></div>)}</dl>
    </>
  )
}
