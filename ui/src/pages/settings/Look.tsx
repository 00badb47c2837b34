// What this browser shows, and how. Theme and language are the host's too, so that the
// next page starts in them.

import { languageNames, t, word } from '../../i18n/t'
import type { Language } from '../../i18n/t'
import { Button } from '../../parts/Button'
import { keysOpen } from '../../shell/layout'
import { prefer, prefs } from '../../state/prefs'
import type { Theme } from '../../state/prefs'
import { changeSettings } from '../../state/settings'
import { attempt } from '../../state/toasts'
import { Part, Radios, Row, Switch } from './Row'

const themes: Theme[] = ['system', 'light', 'dark']

export function Look() {
  const p = prefs.value
  const theme = (v: string) => { prefer({ theme: v as Theme }); void attempt(changeSettings({ 'look.theme': v })) }
  const language = (v: string) => { prefer({ language: v as Language | '' }); void attempt(changeSettings({ 'look.language': v || null })) }
  return (
    <>
      <Part id="look" title={t('settings.look')}>
        <Row name={t('settings.theme')} about={t('settings.theme-about')}><Radios name={t('settings.theme')} value={p.theme} choices={themes.map((v) => [v, word('theme', v) ?? v])} pick={theme} /></Row>
        <Row name={t('settings.language')} about={t('settings.language-about')}>
          <select class="field" aria-label={t('settings.language')} value={p.language} onChange={(e) => language(e.currentTarget.value)}>
            <option value="">{t('settings.as-browser')}</option>
            {Object.entries(languageNames).map(([tag, name]) => <option key={tag} value={tag} lang={tag}>{name}</option>)}
          </select>
        </Row>
      </Part>
      <Part id="reading" title={t('settings.reading')}>
        <Row name={t('settings.keep-steps')} about={t('settings.keep-steps-about')}><Switch name={t('settings.keep-steps')} on={p.keepSteps} set={(keepSteps) => prefer({ keepSteps })} /></Row>
        <Row name={t('settings.shortcuts')} about={t('settings.shortcuts-about')}>
          <Button kind="text" onClick={() => { keysOpen.value = true }}>{t('keys.title')}</Button>
          <Switch name={t('settings.shortcuts')} on={p.shortcuts} set={(shortcuts) => prefer({ shortcuts })} />
        </Row>
        <Row name={t('settings.notify')} about={t('settings.notify-about')}><Switch name={t('settings.notify')} on={p.notify} set={(on) => void askNotify(on)} /></Row>
      </Part>
    </>
  )
}

/** The browser asks the person; without a yes the switch stays off. */
async function askNotify(on: boolean): Promise<void> {
  const yes = on && 'Notification' in window && (await Notification.requestPermission()) === 'granted'
  prefer({ notify: yes })
}
