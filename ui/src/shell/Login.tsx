import { t } from '../i18n/t'
import { Logo } from '../parts/Icon'

/** Nobody gets in without the start link, and it says so. */
export function Login({ failed }: { failed: boolean }) {
  return (
    <main class="login" id="main">
      <Logo />
      <h1>{failed ? t('login.used') : t('login.needed')}</h1>
      <p>{t('login.how')}</p>
      <pre class="whole">fairlead web</pre>
    </main>
  )
}
