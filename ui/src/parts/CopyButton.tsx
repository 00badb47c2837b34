import { t } from '../i18n/t'
import { Mini } from './Button'
import { copyText } from './copy'

export function CopyButton({ text }: { text: () => string }) {
  return <Mini icon="copy" onClick={(e) => { void copyText(text(), e.currentTarget) }}>{t('copy.do')}</Mini>
}
