import { t, tx, word } from '../i18n/t'
import { inForce } from '../state/choice'
import { draft, write } from '../state/drafts'
import { host } from '../state/host'
import { go } from '../state/route'
import { noFacts } from '../facts'
import { connectAs } from '../state/models'
import { Button } from '../parts/Button'
import { Logo } from '../parts/Icon'

const examples = ['welcome.example-explain', 'welcome.example-fix', 'welcome.example-test'] as const

/** A session that does not exist yet: where it would be, how it asks, and what could be said. */
export function Welcome() {
  const folder = host.value?.folder?.split('/').pop() ?? ''
  const { mode } = inForce('', noFacts)
  const say = (text: string) => {
    if (draft('').peek()!.text === '') write('', { text })
    document.querySelector<HTMLTextAreaElement>('[data-composer]')?.focus()
  }
  return (
    <div class="welcome">
      <Logo />
      <h2>{folder ? tx('welcome.title', { folder: <span dir="auto">{folder}</span> }) : t('welcome.title-plain')}</h2>
      <p>{word('mode-about', mode)}</p>
      <div class="examples">
        {examples.map((key) => <button key={key} type="button" class="example" onClick={() => say(t(key))}>{t(key)}</button>)}
      </div>
    </div>
  )
}

/** The first start: there is no model yet. */
export function NeedsModel() {
  return (
    <div class="needs-model">
      <h2>{t('model.needed')}</h2>
      <p>{t('model.needed-how')}</p>
      <div class="buttons"><Button kind="primary" onClick={() => connect('local')}>{t('model.connect-local')}</Button><Button onClick={() => connect('openai')}>{t('model.add-key')}</Button></div>
      <p>{t('model.demo')}</p>
      <pre class="whole">fairlead web --demo</pre>
    </div>
  )
}

function connect(kind: 'local' | 'openai'): void {
  connectAs.value = kind
  go({ page: 'settings' })
}
