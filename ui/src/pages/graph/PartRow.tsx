// One part in the list; open, all that is known of it, and its restart.

import { useEffect, useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { duration, exactTime, list, t, word } from '../../i18n/t'
import { dependants } from '../../graph/fiber'
import type { Fiber } from '../../graph/fiber'
import { command } from '../../http'
import { Button } from '../../parts/Button'
import { Confirm } from '../../parts/Dialog'
import { Icon } from '../../parts/Icon'
import { Ago } from '../../parts/Time'
import { attempt } from '../../state/toasts'
import { StateMark } from './StateMark'

interface Props {
  fiber: Fiber
  all: Fiber[]
  open: boolean
  choose: (path: string) => void
}

export function PartRow({ fiber: f, all, open, choose }: Props) {
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => { if (open) ref.current?.scrollIntoView({ block: 'nearest' }) }, [open])
  return (
    <li ref={ref} class={'part-row ' + f.state} data-fiber={f.path}>
      <button type="button" class="line" aria-expanded={open} onClick={() => choose(open ? '' : f.path)}>
        <StateMark state={f.state} />
        <span class="nm" dir="ltr">{f.path}</span>
        <span class="end">{word('fiber', f.state)} <Ago at={f.since} /></span>
        <Icon name={open ? 'down' : 'chevron'} size={14} class="chev" />
      </button>
      {f.reason && <p class="reason" dir="auto">{f.reason}</p>}
      {open && <Details fiber={f} all={all} choose={choose} />}
    </li>
  )
}

function Details({ fiber: f, all, choose }: Omit<Props, 'open'>) {
  const users = all.filter((o) => (o.injects ?? []).some((u) => u.provider === f.path))
  const go = (path: string) => <button type="button" class="to-part" dir="ltr" onClick={() => choose(path)}>{path}</button>
  return (
    <div class="part-body">
      {f.doc && <p dir="auto">{f.doc}</p>}
      <dl>
        <Fact name={t('graph.plugin')}>{f.plugin !== f.path && <code>{f.plugin}</code>}</Fact>
        <Fact name={t('graph.realm')}>{f.realm && go(f.realm)}</Fact>
        <Fact name={t('graph.since')}>{exactTime(f.since)}</Fact>
        <Fact name={t('graph.starts')}>{list([t('graph.times', { n: f.starts }), f.starts > 0 ? t('graph.took', { time: took(f.tookNs) }) : ''].filter(Boolean))}</Fact>
        <Fact name={t('graph.provides')}>{f.provides?.map((k) => <code key={k}>{k}</code>)}</Fact>
        <Fact name={t('graph.uses')}>{f.injects?.map((u) => <span key={u.key}><code>{u.key}</code> {u.provider ? go(u.provider) : <em>{t(u.optional ? 'graph.nobody-optional' : 'graph.nobody')}</em>}</span>)}</Fact>
        <Fact name={t('graph.used-by')}>{users.map((o) => <span key={o.path}>{go(o.path)}</span>)}</Fact>
        <Fact name={t('graph.holds')}>{f.holds?.map((h, i) => <span key={i} dir="auto">{h}</span>)}</Fact>
      </dl>
      <Restart fiber={f} with={dependants(all, f.path)} />
    </div>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return !children || (Array.isArray(children) && children.length === 0) ? null : <><dt>{name}</dt><dd>{children}</dd></>
}

function Restart({ fiber, with: others }: { fiber: Fiber; with: Fiber[] }) {
  const asking = useSignal(false)
  return (
    <>
      <Button disabled={fiber.state === 'stopping' || fiber.state === 'starting'} onClick={() => { asking.value = true }}>{t('graph.restart')}</Button>
      {asking.value && (
        <Confirm title={t('graph.restart-ask', { name: fiber.path })} act={t('graph.restart')} close={() => { asking.value = false }}
          text={others.length ? t('graph.restart-with', { names: list(others.map((f) => f.path)) }) : t('graph.restart-alone')}
          done={() => void attempt(command('', 'graph.restart', { path: fiber.path }))} />
      )}
    </>
  )
}

/** "0.4 ms", "12 ms", "3 s". */
function took(nanos: number): string {
  const millis = nanos / 1e6
  return millis >= 1000 ? duration(millis) : t('time.ms', { ms: millis < 10 ? Math.round(millis * 10) / 10 : Math.round(millis) })
}
