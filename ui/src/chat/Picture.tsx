import { useEffect, useState } from 'preact/hooks'
import { t } from '../i18n/t'
import { request } from '../http'
import type { Part } from '../wire'
import { useSession } from './context'

/** A picture the session keeps. It is fetched with the token, so it becomes a blob of this page. */
export function Picture({ part }: { part: Part }) {
  const session = useSession()
  const [url, setUrl] = useState('')
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    let made = ''
    request('GET', `sessions/${session.id}/blobs/${part.blob}`)
      .then((a) => a.blob())
      .then((b) => setUrl((made = URL.createObjectURL(new Blob([b], { type: part.mime ?? '' })))))
      .catch(() => setFailed(true))
    return () => { if (made) URL.revokeObjectURL(made) }
  }, [part.blob])
  const name = part.name || t('md.no-description')
  if (failed) return <span class="picture">{t('picture.gone', { name })}</span>
  return url ? <img class="picture" src={url} alt={name} /> : <span class="picture waits" />
}
