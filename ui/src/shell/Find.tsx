// Ctrl K: finds a session, what was said in one, or something to do, by its words.

import { useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { t, tx } from '../i18n/t'
import { Dialog } from '../parts/Dialog'
import { Icon } from '../parts/Icon'
import { Ago } from '../parts/Time'
import { composing, keyNames, shortcutList } from '../state/keys'
import { go } from '../state/route'
import { found, search as searchText } from '../state/search'
import { sessions } from '../state/sessions'
import { markBytes } from '../text'
import { drawerOpen, findOpen } from './layout'

interface Hit {
  key: string
  icon: 'list' | 'keys' | 'search'
  title: string
  /** The line that was found. */
  line?: preact.ComponentChildren
  end: preact.ComponentChildren
  run: () => void
}

export function Find() {
  if (!findOpen.value) return null
  return <Dialog title={t('find.title')} class="find-dialog" close={() => { findOpen.value = false }}><FindBox /></Dialog>
}

function FindBox() {
  const words = useSignal('')
  const archived = useSignal(false)
  const at = useSignal(0)
  const list = useRef<HTMLDivElement>(null)
  const hits = search(words.value, archived.value)
  const run = (hit: Hit | undefined) => {
    if (!hit) return
    findOpen.value = drawerOpen.value = false
    hit.run()
  }
  const onKey = (e: KeyboardEvent) => {
    if (composing(e)) return
    if (e.key === 'ArrowDown') at.value = Math.min(at.value + 1, hits.length - 1)
    else if (e.key === 'ArrowUp') at.value = Math.max(at.value - 1, 0)
    else if (e.key === 'Enter') run(hits[at.value])
    else return
    e.preventDefault()
    list.current?.children[at.value]?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <>
      <input class="find-field" role="combobox" aria-expanded={hits.length > 0} aria-controls="hits" aria-activedescendant={hits.length ? 'hit-' + at.value : undefined}
        aria-label={t('find.title')} placeholder={t('find.hint')} value={words.value} autofocus dir="auto"
        onInput={(e) => { words.value = e.currentTarget.value; at.value = 0; searchText(words.value, archived.value) }} onKeyDown={onKey} />
      <div class="hits" id="hits" role="listbox" aria-label={t('find.results')} ref={list}>
        {hits.map((h, i) => (
          <div key={h.key} id={'hit-' + i} class="choice item" role="option" aria-selected={i === at.value} onClick={() => run(h)} onPointerMove={() => { at.value = i }}>
            <Icon name={h.icon} size={14} class="st-mute" /><span class="nm" dir="auto">{h.title}</span><span class="end">{h.end}</span>{h.line && <span class="ds" dir="auto">{h.line}</span>}
          </div>
        ))}
      </div>
      {hits.length === 0 && (
        <div class="none">
          <p>{tx('find.none', { words: <em dir="auto">{words.value}</em> })}</p>
          {!archived.value && <button type="button" class="mini" onClick={() => { archived.value = true; searchText(words.value, true) }}>{t('find.archived')}</button>}
        </div>
      )}
    </>
  )
}

function search(text: string, archived: boolean): Hit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (s: string) => words.every((w) => s.toLowerCase().includes(w))
  const titles: Hit[] = (sessions.value ?? []).filter((s) => (archived || !s.archived) && fits(s.title + ' ' + s.folder)).slice(0, 30)
    .map((s) => ({ key: s.id, icon: 'list', title: s.title || t('session.untitled'), end: <Ago at={s.at} />, run: () => go({ page: 'session', id: s.id }) }))
  const texts: Hit[] = found.value.words !== text ? [] : found.value.hits.filter((h) => h.seq > 0).map((h) => ({
    key: h.session + '#' + h.seq, icon: 'search', title: h.title || t('session.untitled'), end: <Ago at={h.at} />,
    line: markBytes(h.snippet, h.marks ?? []).map((m, i) => (m.marked ? <mark key={i}>{m.text}</mark> : m.text)),
    run: () => go({ page: 'session', id: h.session, seq: h.seq }),
  }))
  const verbs: Hit[] = shortcutList().filter((s) => s.key !== 'k' && fits(t(s.says)))
    .map((s) => ({ key: s.says, icon: 'keys', title: t(s.says), end: <kbd>{keyNames(s)}</kbd>, run: s.run }))
  return [...titles, ...texts, ...verbs]
}
