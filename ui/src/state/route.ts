// Where the person is: the address says it, so back, reload and links work.

import { signal } from '@preact/signals'

export type Place = { page: 'session'; id: string; seq?: number } | { page: 'events'; id: string; seq?: number } | { page: 'new' } | { page: 'graph' } | { page: 'tasks' } | { page: 'monitor' } | { page: 'settings' } | { page: 'gallery' }

function read(): Place {
  const path = location.pathname
  if (path === '/_/gallery') return { page: 'gallery' }
  const named = /^\/_\/(graph|tasks|monitor|settings)$/.exec(path)
  if (named) return { page: named[1] as 'graph' | 'tasks' | 'monitor' | 'settings' }
  const session = /^\/s\/([\w-]+)(\/events)?/.exec(path)
  if (!session) return { page: 'new' }
  const seq = Number(location.hash.slice(1))
  return { page: session[2] ? 'events' : 'session', id: session[1]!, ...(seq > 0 && { seq }) }
}

export function address(place: Place): string {
  switch (place.page) {
    case 'session': return '/s/' + place.id + (place.seq ? '#' + place.seq : '')
    case 'events': return '/s/' + place.id + '/events' + (place.seq ? '#' + place.seq : '')
    case 'new': return '/'
    default: return '/_/' + place.page
  }
}

export const place = signal<Place>(read())

/** The session that is open, or ''. */
export function here(): string { return place.value.page === 'session' ? place.value.id : '' }

/** Goes somewhere; replace leaves no step back. */
export function go(to: Place, replace = false): void {
  const url = address(to)
  if (url !== location.pathname + location.hash) history[replace ? 'replaceState' : 'pushState'](null, '', url)
  place.value = to
}

addEventListener('popstate', () => { place.value = read() })

/** For links inside the page: follows without loading, unless a key asks for a new tab. */
export function follow(to: Place): (e: MouseEvent) => void {
  return (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || e.button !== 0) return
    e.preventDefault()
    go(to)
  }
}
