// What a turn changed in files: each difference, taken back and brought back here.

import { useEffect, useState } from 'preact/hooks'
import { api } from '../http'
import { t, word } from '../i18n/t'
import { Button } from '../parts/Button'
import { Dialog } from '../parts/Dialog'
import { DiffView } from '../parts/DiffView'
import { attempt } from '../state/toasts'
import { useSession } from './context'

interface ChangedFile {
  path: string
  kind: 'changed' | 'new' | 'deleted'
  added: number
  removed: number
  /** What took it back; unset where it stands. */
  undone?: string
  unified?: string
  /** What became of it since, where it stands. */
  now?: 'as-left' | 'changed' | 'gone'
}

export function Changes({ turn, close }: { turn: number; close: () => void }) {
  const session = useSession()
  const [files, setFiles] = useState<ChangedFile[]>()
  const load = async () => {
    const answer = await attempt(api<{ deeds: { files: ChangedFile[] }[] }>('GET', `sessions/${session.id}/views/files?turn=${turn}`))
    if (answer) setFiles(answer.deeds.flatMap((d) => d.files))
  }
  const act = async (name: 'undo.take' | 'undo.redo', only?: string) => {
    await attempt(session.command(name, { turn, ...(only !== undefined && { files: [only] }) }))
    await load()
  }
  useEffect(() => { void load() }, [turn])
  return (
    <Dialog title={t('changes.title')} close={close} class="changes">
      {files?.length === 0 && <p>{t('changes.none')}</p>}
      {files?.map((f) => (
        <section key={f.path} aria-label={f.path}>
          <div class="changed-file">
            <code dir="auto">{f.path}</code>
            <span class="num">+{f.added} −{f.removed}</span>
            {f.undone ? <span>{t('changes.undone')}</span> : f.now && f.now !== 'as-left' && <span>{word('changes', f.now)}</span>}
            <Button kind="text" onClick={() => void act(f.undone ? 'undo.redo' : 'undo.take', f.path)}>{f.undone ? t('changes.redo') : t('changes.take')}</Button>
          </div>
          {f.unified && <DiffView unified={f.unified} label={f.path} most={200} />}
        </section>
      ))}
      <div class="row-end">
        {files && files.filter((f) => !f.undone).length > 1 && <Button onClick={() => void act('undo.take')}>{t('changes.take-all')}</Button>}
        <Button kind="primary" autofocus onClick={close}>{t('close')}</Button>
      </div>
    </Dialog>
  )
}
