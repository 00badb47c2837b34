import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { outdated } from '../state/host'

/** A page that is fetched when it is opened. A chunk that is gone means that the server was updated. */
export function Lazy({ load }: { load: () => Promise<{ default: ComponentType }> }) {
  const [Page, set] = useState<ComponentType>()
  useEffect(() => { load().then((m) => set(() => m.default), () => { outdated.value = true }) }, [])
  return Page ? <Page /> : <main class="main" id="main" aria-busy="true" />
}
