import { t, word } from '../i18n/t'
import { request } from '../http'
import { IconButton } from '../parts/Button'
import { moveFocus } from '../parts/Choices'
import { saveFile } from '../parts/save'
import { Popover } from '../parts/Popover'
import type { Session } from '../state/session'
import { attempt } from '../state/toasts'

const forms = ['md', 'html', 'json', 'zip'] as const

/** The session as a file. */
export function Export({ session }: { session: Session }) {
  const save = async (as: string) => {
    const file = await attempt(request('GET', `sessions/${session.id}/export?as=${as}`).then((a) => a.blob()))
    if (file) saveFile(file, (session.facts.peek().title || session.id).replace(/[^\p{L}\p{N} _-]+/gu, '').trim().slice(0, 60) + '.' + as)
  }
  return (
    <Popover label={t('export.title')} role="menu" class="menu" align="end" button={(p) => <IconButton icon="export" label={t('export.title')} {...p} />}>
      {(close) => (
        <div onKeyDown={moveFocus}>
          <div class="menu-title" aria-hidden="true">{t('export.title')}</div>
          {forms.map((f) => <button key={f} type="button" class="choice item" role="menuitem" onClick={() => { close(); void save(f) }}><span class="nm">{word('export', f)}</span></button>)}
        </div>
      )}
    </Popover>
  )
}
