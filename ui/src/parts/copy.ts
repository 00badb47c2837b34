// Copying, with an honest answer: "Copied" only where it was.

import { t } from '../i18n/t'

/** Copies text. Where the browser does not allow it, the text near button is selected instead. */
export async function copyText(text: string, button: HTMLElement): Promise<void> {
  const label = button.querySelector('[data-label]') ?? button
  const before = label.textContent
  let said: string
  try {
    await navigator.clipboard.writeText(text)
    said = t('copy.done')
  } catch {
    const source = button.closest('[data-copy], .codeblock')?.querySelector('code, pre, [data-copied]')
    if (source) getSelection()?.selectAllChildren(source)
    said = t('copy.by-hand')
  }
  label.textContent = said
  setTimeout(() => { if (label.textContent === said) label.textContent = before }, 2000)
}
