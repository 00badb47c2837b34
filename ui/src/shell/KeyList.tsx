import { t } from '../i18n/t'
import type { PlainKey } from '../i18n/t'
import { Dialog } from '../parts/Dialog'
import { keyNames, shortcutList } from '../state/keys'
import { keysOpen } from './layout'

/** Keys that live where they act; listed here with the others. */
const local: { keys: string; says: PlainKey }[] = [
  { keys: 'Enter', says: 'keys.send' },
  { keys: 'Shift Enter', says: 'keys.line' },
  { keys: 'Esc', says: 'keys.close' },
  { keys: 'Esc Esc', says: 'keys.stop' },
  { keys: 'Y / N', says: 'keys.answer' },
  { keys: '← / →', says: 'keys.fold' },
  { keys: '↑', says: 'keys.edit-last' },
  { keys: 'End', says: 'keys.newest' },
]

export function KeyList() {
  if (!keysOpen.value) return null
  const rows = [...local, ...shortcutList().map((s) => ({ keys: keyNames(s), says: s.says }))]
  return (
    <Dialog title={t('keys.title')} close={() => { keysOpen.value = false }}>
      <dl class="keylist">{rows.map((r) => <div key={r.says}><dt><kbd>{r.keys}</kbd></dt><dd>{t(r.says)}</dd></div>)}</dl>
    </Dialog>
  )
}
