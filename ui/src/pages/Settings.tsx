import '../shell/App' // what the pages share with it is then one file, not one for each pair
import { useEffect } from 'preact/hooks'
import { t } from '../i18n/t'
import { Header } from '../shell/Header'
import { models } from '../state/models'
import { readSettings, settings } from '../state/settings'
import { Devices, Folders, Keys, Rules } from './settings/Access'
import { Connections } from './settings/Connections'
import { Look } from './settings/Look'
import { Part, Row } from './settings/Row'
import { Sections } from './settings/Sections'

export default function Settings() {
  useEffect(() => { readSettings().catch(() => undefined) }, []) // a profile without settings has only the look
  return (
    <main class="main" id="main">
      <Header title={t('settings.title')} where="" />
      <div class="scroll" tabIndex={-1} data-region="transcript">
        <div class="col settings">
          <Look />
          <Part id="models" title={t('settings.models')}>
            {(models.value ?? []).map((m) => <Row key={m.name} name={m.title ?? m.name} about={m.window ? t('model.window', { n: m.window }) : ''} />)}
          </Part>
          <Connections />
          <Keys />
          <Rules />
          <Folders />
          <Sections />
          <Devices />
          {settings.value?.problems?.map((p) => <p key={p} class="note bad" dir="auto">{p}</p>)}
        </div>
      </div>
    </main>
  )
}
