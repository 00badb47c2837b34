// Text that is about to be approved: nothing in it is interpreted, and what an eye
// would miss is boxed.

import { t } from '../i18n/t'
import { linesOf, spell } from '../text'

export function SpelledLine({ text }: { text: string }) {
  return (
    <>
      {spell(text).map((p, i) => {
        switch (p.kind) {
          case 'text': return p.text
          case 'hidden': return <span key={i} class="boxed" title={t('hidden.title')}>{p.code}</span>
          case 'blanks': return <span key={i} class="boxed blanks">{t('hidden.blanks', { n: p.count })}</span>
          case 'mixed': return <span key={i} class="mixed" title={t('hidden.mixed-title')}>{p.text}</span>
        }
      })}
    </>
  )
}

export function SpelledText({ text }: { text: string }) {
  return <>{linesOf(text).map((line, i) => <span key={i}>{i > 0 && '\n'}<SpelledLine text={line} /></span>)}</>
}
