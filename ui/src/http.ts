// The one door to the API: token, JSON, errors as words.

import type { ApiError } from './wire'

const tokenKey = 'fairlead.token'

export function token(): string { return localStorage.getItem(tokenKey) ?? '' }
export function forgetToken(): void { localStorage.removeItem(tokenKey) }

/** An answer that says no. `unreachable` is set where there was none. */
export class Refused extends Error {
  constructor(readonly status: number, readonly error: ApiError) { super(error.message) }
  get unreachable(): boolean { return this.status === 0 }
  get code(): string { return this.error.code ?? '' }
}

function headers(more: Record<string, string> = {}): HeadersInit {
  return { Authorization: 'Bearer ' + token(), ...more }
}

/** Fetches with the token. Throws Refused for any answer that is not 2xx, and where none comes. */
export async function request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch('/api/v1/' + path, { method, cache: 'no-store', redirect: 'error', ...init, headers: headers(init.headers as Record<string, string>) })
  } catch (e) {
    if (init.signal?.aborted) throw e
    throw new Refused(0, { kind: 'unavailable', message: String(e) })
  }
  if (answer.ok) return answer
  let error: ApiError = { kind: 'internal', message: answer.statusText || String(answer.status) }
  try { error = ((await answer.json()) as { error: ApiError }).error ?? error } catch { /* the status line has to do */ }
  throw new Refused(answer.status, error)
}

/** Asks and reads JSON; an answer without a body gives undefined. */
export async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = body === undefined && method === 'GET' ? {} : { body: JSON.stringify(body ?? {}), headers: { 'Content-Type': 'application/json' } }
  const answer = await request(method, path, init)
  const text = await answer.text()
  return (text ? JSON.parse(text) : undefined) as T
}

/** Uses a command: of a session, or of the host where session is ''. */
export async function command(session: string, name: string, args: unknown): Promise<unknown> {
  return (await api<{ result: unknown }>('POST', (session && `sessions/${session}/`) + 'commands', { name, args })).result
}

/** Exchanges the start token of the address, if there is one, for a device token. */
export async function login(): Promise<void> {
  const start = new URLSearchParams(location.hash.slice(1)).get('token')
  if (!start) return
  history.replaceState(null, '', location.pathname + location.search)
  const { deviceToken } = await api<{ deviceToken: string }>('POST', 'login', { token: start })
  localStorage.setItem(tokenKey, deviceToken)
}
