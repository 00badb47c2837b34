import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../i18n/t'
import { Button } from './Button'

/** A modal layer. It is in the page only while it is open. */
export function Dialog({ title, close, children, class: cls }: { title: string; close: () => void; children: ComponentChildren; class?: string }) {
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const el = ref.current!
    const before = document.activeElement as HTMLElement | null
    el.showModal()
    return () => before?.focus()
  }, [])
  return (
    <dialog ref={ref} class={['dialog', cls].filter(Boolean).join(' ')} aria-labelledby={id} onClose={close} onClick={(e) => { if (e.target === ref.current) close() }}>
      <div class="dialog-in">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}

/** Asks once before something that cannot be taken back. */
export function Confirm({ title, text, act, bad, close, done }: { title: string; text: ComponentChildren; act: string; bad?: boolean; close: () => void; done: () => void }) {
  return (
    <Dialog title={title} close={close}>
      <p>{text}</p>
      <div class="row-end">
        <Button autofocus onClick={close}>{t('cancel')}</Button>
        <Button kind={bad ? 'bad' : 'primary'} onClick={() => { close(); done() }}>{act}</Button>
      </div>
    </Dialog>
  )
}
