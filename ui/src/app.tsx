import { render } from 'preact'
import { login, token } from './http'
import { App } from './shell/App'
import { Login } from './shell/Login'
import { readModels } from './state/models'
import { applyPrefs } from './state/prefs'
import { place } from './state/route'
import { watchSessions } from './state/sessions'

async function start(): Promise<void> {
  const root = document.getElementById('app')!
  const spoken = applyPrefs()
  let failed = false
  try {
    await login()
  } catch {
    failed = true
  }
  await spoken
  if (!token() && place.peek().page !== 'gallery') {
    render(<Login failed={failed} />, root)
    return
  }
  render(<App />, root)
  if (place.peek().page === 'gallery') return
  void readModels()
  watchSessions()
}

void start()
