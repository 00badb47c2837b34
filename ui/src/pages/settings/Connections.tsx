// The ways to servers of models: which there are, whether they answer, and a new one.
// A key is typed here and never shown again.

import { useEffect, useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { count, list, t, word } from '../../i18n/t'
import { command } from '../../http'
import { Button } from '../../parts/Button'
import { Confirm } from '../../parts/Dialog'
import { Icon, Spin } from '../../parts/Icon'
import { connectAs, models, readModels } from '../../state/models'
import { attempt } from '../../state/toasts'
import { useWatched } from '../../state/view'
import { Part, Row } from './Row'

interface Connection {
  name: string
  from: 'settings' | 'environment' | 'rows'
  baseUrl: string
  wire: string
  key?: { name: string; source: string }
  models: string[] | null
  problem?: string
}

interface Tested {
  ok: boolean
  models: { id: string }[] | null
  ms: number
  text?: string
  details?: string
}

/** Servers that many people use, and what is known of them. */
const known = {
  local: { name: 'local', baseUrl: 'http://127.0.0.1:8080/v1', wire: 'chat' },
  openai: { name: 'openai', usual: 'gpt-5.1', baseUrl: 'https://api.openai.com/v1', wire: 'responses' },
  anthropic: { name: 'anthropic', usual: 'claude-sonnet-4-5', baseUrl: 'https://api.anthropic.com/v1', wire: 'messages' },
  deepseek: { name: 'deepseek', usual: 'deepseek-chat', baseUrl: 'https://api.deepseek.com/v1', wire: 'chat' },
  openrouter: { name: 'openrouter', usual: 'openrouter/auto', baseUrl: 'https://openrouter.ai/api/v1', wire: 'chat' },
  other: { name: '', baseUrl: '', wire: 'chat' },
} as const
type Known = keyof typeof known

/** How many of the models a server lists are kept. */
const mostModels = 200

export function Connections() {
  const all = useWatched<Connection[] | null>('connections')
  useEffect(() => { void readModels() }, [all.value])
  if (all.value === undefined) return null
  return (
    <Part id="connections" title={t('connections.title')} about={t('connections.about')}>
      {(all.value ?? []).map((c) => <One key={c.name} connection={c} />)}
      {all.value?.length === 0 && <p class="quiet">{t('connections.none')}</p>}
      <Add />
    </Part>
  )
}

function One({ connection: c }: { connection: Connection }) {
  const removing = useSignal(false)
  const { tested, busy, test } = useTest()
  const key = c.key ? (c.key.source === 'missing' ? t('connections.key-missing', { name: c.key.name }) : t('settings.key-kept', { source: c.key.source })) : t('connections.no-key')
  return (
    <Row name={c.name} about={<><span dir="ltr">{c.baseUrl}</span><br />{list([key, ...(c.models?.length ? [t('connections.models', { n: c.models.length })] : [])])}{c.problem && <span class="bad-words" dir="auto"><br />{c.problem}</span>}<Outcome tested={tested} /></>}>
      <Button kind="text" disabled={busy} onClick={() => void test({ name: c.name })}>{busy ? <Spin /> : null}{t('connections.test')}</Button>
      {c.from === 'settings' && <Button kind="text" onClick={() => { removing.value = true }}>{t('settings.key-remove')}</Button>}
      {removing.value && <Confirm title={t('connections.remove-ask', { name: c.name })} text={t('connections.remove-about')} act={t('settings.key-remove')} bad close={() => { removing.value = false }} done={() => void attempt(command('', 'connection.remove', { name: c.name }))} />}
    </Row>
  )
}

function useTest() {
  const tested = useSignal<Tested | undefined>(undefined)
  const busy = useSignal(false)
  const test = async (args: object): Promise<Tested | undefined> => {
    busy.value = true
    tested.value = undefined
    tested.value = (await attempt(command('', 'connection.test', args))) as Tested | undefined
    busy.value = false
    return tested.value
  }
  return { tested: tested.value, busy: busy.value, test, forget: () => { tested.value = undefined } }
}

function Outcome({ tested: r }: { tested: Tested | undefined }) {
  if (!r) return null
  return (
    <span class={'outcome ' + (r.ok ? 'ok' : 'bad')} role="status">
      <Icon name={r.ok ? 'check' : 'cross'} size={13} class={r.ok ? 'st-ok' : 'st-bad'} />
      <span dir="auto">{r.ok ? t('connections.works', { n: r.models?.length ?? 0, ms: count(r.ms) }) : r.text}{r.details && <details><summary>{t('details')}</summary><code>{r.details}</code></details>}</span>
    </span>
  )
}

/** Reads the models until those of a new connection are there: its server is asked for them beside. */
async function awaitModels(name: string): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    await readModels()
    if (models.peek()?.some((m) => m.name.startsWith(name + '/'))) return
    await new Promise((r) => setTimeout(r, 1000))
  }
}

function Add() {
  const open = useSignal(connectAs.peek() !== '' || models.peek()?.length === 0)
  const kind = useSignal<Known>((connectAs.peek() || 'local') as Known)
  const edited = useSignal<Partial<Record<'name' | 'baseUrl' | 'wire' | 'key', string>>>({})
  const first = useRef<HTMLSelectElement>(null)
  const { tested, busy, test, forget } = useTest()
  useEffect(() => { if (connectAs.peek()) { connectAs.value = ''; first.current?.focus() } }, [])
  if (!open.value) return <div><Button onClick={() => { open.value = true }}>{t('connections.add')}</Button></div>
  const now = { usual: '', ...known[kind.value], key: '', ...edited.value }
  const args = { name: now.name.trim(), baseUrl: now.baseUrl.trim(), wire: now.wire, ...(now.key && { key: now.key }) }
  const whole = args.name !== '' && args.baseUrl !== ''
  const edit = (field: 'name' | 'baseUrl' | 'wire' | 'key') => (e: { currentTarget: { value: string } }) => { edited.value = { ...edited.value, [field]: e.currentTarget.value }; forget() }
  const save = async () => {
    if (!whole) return
    // What the server lists can be chosen at once; where it does not answer, nothing is saved and the row says why.
    const answer = tested?.ok ? tested : await test(args)
    if (!answer?.ok) return
    const listed = (answer.models ?? []).slice(0, mostModels).map((m) => m.id)
    const usual = listed.find((id) => id === now.usual) ?? listed[0]
    if ((await attempt(command('', 'connection.add', { ...args, models: listed, ...(usual && { default: usual }) }).then(() => true))) !== true) return
    edited.value = {}
    open.value = false
    void awaitModels(args.name)
  }
  return (
    <form class="connect" onSubmit={(e) => { e.preventDefault(); void save() }}>
      <label><span>{t('connections.kind')}</span>
        <select ref={first} class="field" value={kind.value} onChange={(e) => { kind.value = e.currentTarget.value as Known; edited.value = {}; forget() }}>
          {Object.keys(known).map((k) => <option key={k} value={k}>{word('connections', 'kind-' + k) ?? k}</option>)}
        </select></label>
      <label><span>{t('settings.key-name')}</span><input class="field" value={now.name} onInput={edit('name')} dir="ltr" autocomplete="off" /></label>
      <label><span>{t('connections.address')}</span><input class="field" type="url" value={now.baseUrl} onInput={edit('baseUrl')} dir="ltr" autocomplete="off" /></label>
      <label><span>{t('connections.wire')}</span>
        <select class="field" value={now.wire} onChange={edit('wire')}>{['chat', 'responses', 'messages'].map((w) => <option key={w} value={w}>{word('connections', 'wire-' + w)}</option>)}</select></label>
      <label><span>{t(kind.value === 'local' ? 'connections.key-optional' : 'settings.key-value')}</span><input class="field" type="password" value={now.key} onInput={edit('key')} autocomplete="off" /></label>
      <Outcome tested={tested} />
      <div class="buttons">
        <button type="submit" class="btn primary" disabled={!whole}>{t('connections.save')}</button>
        <Button disabled={!whole || busy} onClick={() => void test(args)}>{busy ? <Spin /> : null}{t('connections.test')}</Button>
        <Button kind="text" onClick={() => { open.value = false }}>{t('cancel')}</Button>
      </div>
    </form>
  )
}
