// Settings of this page. Saved at once.

import '../shell/App' // what the pages share with it is then one file, not one for each pair
import { languageNames, t, word } from '../i18n/t'
import type { Language } from '../i18n/t'
import { Header } from '../shell/Header'
import { keysOpen } from '../shell/layout'
import { Button } from '../parts/Button'
import { prefer, prefs } from '../state/prefs'
import type { Theme } from '../state/prefs'
import { models } from '../state/models'

export default function Settings() {
  const p = prefs.value
  return (
    <main class="main" id="main">
      <Header title={t('settings.title')} where="" />
      <div class="scroll" tabIndex={-1}>
        <div class="col settings">
          <section aria-labelledby="look">
            <h2 id="look">{t('settings.look')}</h2>
            <Row name={t('settings.theme')} about={t('settings.theme-about')}>
              <Radios name="theme" value={p.theme} choices={(['system', 'light', 'dark'] as Theme[]).map((v) => [v, word('theme', v) ?? v])} pick={(v) => prefer({ theme: v as Theme })} />
            </Row>
            <Row name={t('settings.language')} about={t('settings.language-about')}>
              <select class="field" aria-label={t('settings.language')} value={p.language} onChange={(e) => prefer({ language: e.currentTarget.value as Language | '' })}>
                <option value="">{t('settings.as-browser')}</option>
                {Object.entries(languageNames).map(([tag, name]) => <option key={tag} value={tag} lang={tag}>{name}</option>)}
              </select>
            </Row>
          </section>
          <section aria-labelledby="reading">
            <h2 id="reading">{t('settings.reading')}</h2>
            <Row name={t('settings.keep-steps')} about={t('settings.keep-steps-about')}><Switch name={t('settings.keep-steps')} on={p.keepSteps} set={(keepSteps) => prefer({ keepSteps })} /></Row>
            <Row name={t('settings.shortcuts')} about={t('settings.shortcuts-about')}>
              <Button kind="text" onClick={() => { keysOpen.value = true }}>{t('keys.title')}</Button>
              <Switch name={t('settings.shortcuts')} on={p.shortcuts} set={(shortcuts) => prefer({ shortcuts })} />
            </Row>
            <Row name={t('settings.notify')} about={t('settings.notify-about')}><Switch name={t('settings.notify')} on={p.notify} set={(on) => void askNotify(on)} /></Row>
          </section>
          <section aria-labelledby="models">
            <h2 id="models">{t('settings.models')}</h2>
            {(models.value ?? []).map((m) => <Row key={m.name} name={m.title ?? m.name} about={m.window ? t('model.window', { n: m.window }) : ''} />)}
            <p class="quiet">{t('settings.models-how')}</p>
            <pre class="whole">fairlead connection add</pre>
          </section>
        </div>
      </div>
    </main>
  )
}

/** The browser asks the person; without a yes the switch stays off. */
async function askNotify(on: boolean): Promise<void> {
  const yes = on && 'Notification' in window && (await Notification.requestPermission()) === 'granted'
  prefer({ notify: yes })
}

function Row({ name, about, children }: { name: string; about: string; children?: preact.ComponentChildren }) {
  return <div class="setting"><div><div class="nm" dir="auto">{name}</div>{about && <div class="ds">{about}</div>}</div><div class="control">{children}</div></div>
}

function Switch({ name, on, set }: { name: string; on: boolean; set: (on: boolean) => void }) {
  return <button type="button" class="switch" role="switch" aria-checked={on} aria-label={name} onClick={() => set(!on)}><i /></button>
}

function Radios({ name, value, choices, pick }: { name: string; value: string; choices: [string, string][]; pick: (value: string) => void }) {
  return (
    <div class="radios" role="radiogroup" aria-label={t('settings.theme')}>
      {choices.map(([v, label]) => <label key={v}><input type="radio" name={name} value={v} checked={v === value} onChange={() => pick(v)} /><span>{label}</span></label>)}
    </div>
  )
}
