import { t } from '../i18n/t'
import { dismiss, toasts } from '../state/toasts'
import { IconButton } from './Button'
import { Icon } from './Icon'

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map((x) => (
        <div key={x.id} class={'toast' + (x.bad ? ' bad' : '')}>
          <Icon name={x.bad ? 'cross' : 'check'} class={x.bad ? 'st-bad' : 'st-ok'} />
          <span>{x.text}{x.details && <details><summary>{t('details')}</summary><code dir="auto">{x.details}</code></details>}</span>
          <IconButton icon="cross" size={14} label={t('close')} onClick={() => dismiss(x.id)} />
        </div>
      ))}
    </div>
  )
}
