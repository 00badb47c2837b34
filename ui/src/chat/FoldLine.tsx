import { useState } from 'preact/hooks'
import { duration, t } from '../i18n/t'
import type { Turn } from '../items'
import { Button } from '../parts/Button'
import { Icon } from '../parts/Icon'
import { Changes } from './Changes'
import { unfold } from './folds'

/** A finished turn's steps in one line: "9 steps · 1 min 4 s · 3 files changed". */
export function FoldLine({ turn, open }: { turn: Turn; open: boolean }) {
  const end = turn.end
  const steps = turn.items.filter((i) => i.kind === 'call' && !i.parent).length
  const changed = end?.changed?.length ?? 0
  const words = [t('fold.steps', { n: steps }), duration(end?.ms || (turn.endedAt ?? 0) - turn.startedAt), ...(changed ? [t('fold.changed', { n: changed })] : [])]
  const [reviewing, setReviewing] = useState(false)
  return (
    <div class="foldrow">
      <button type="button" class="foldline" aria-expanded={open} title={end?.changed?.join('\n')} onClick={() => unfold(turn.key, !open)}>
        <Icon name={open ? 'down' : 'chevron'} size={12} />
        <span class="num">{words.join(' · ')}</span>
      </button>
      {changed > 0 && <Button kind="text" onClick={() => setReviewing(true)}>{t('changes.review')}</Button>}
      {reviewing && <Changes turn={turn.turn} close={() => setReviewing(false)} />}
    </div>
  )
}
