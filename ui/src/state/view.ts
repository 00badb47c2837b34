// Views of the host: read once and again after a change, or watched while shown.

import { useEffect } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { api, command, request } from '../http'
import { Follower } from './link'
import { attempt } from './toasts'

/** A view of the host, read when shown and again after a change; undefined where the host has none. */
export function useView<T>(name: string): { value: Signal<T | undefined>; act: (command: string, args: object) => Promise<unknown> } {
  const value = useSignal<T | undefined>(undefined)
  const read = () => api<T>('GET', 'views/' + name).then((v) => { value.value = v }, () => { value.value = undefined })
  useEffect(() => { void read() }, [])
  const act = async (verb: string, args: object) => {
    const done = await attempt(command('', verb, args).then((v) => v ?? true))
    await read()
    return done
  }
  return { value, act }
}

/** A view of the host, followed while it is shown; the last value stays while the connection is lost. */
export function useWatched<T>(name: string): Signal<T | undefined> {
  const value = useSignal<T | undefined>(undefined)
  useEffect(() => {
    const follower = new Follower({
      open: (signal) => request('GET', 'views/' + name, { signal, headers: { Accept: 'text/event-stream' } }),
      frame: (f) => { if (f.event === 'view') value.value = JSON.parse(f.data) as T },
      link: () => undefined, // the list of sessions says when the connection is lost
    })
    return () => follower.stop()
  }, [name])
  return value
}
