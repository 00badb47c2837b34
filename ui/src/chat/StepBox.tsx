// Steps that follow each other share one box with hairlines.

import { duration, list, t } from '../i18n/t'
import type { Call, Turn } from '../items'
import { isOpen } from '../items'
import { Icon } from '../parts/Icon'
import type { Step } from '../rows'
import { isUnfolded, unfold } from './folds'
import { StepRow } from './StepRow'
import { ThoughtRow } from './ThoughtRow'

export function StepBox({ steps, calls, turn }: { steps: Step[]; calls: number; turn: Turn }) {
  const last = steps[steps.length - 1]
  const live = isOpen(turn) && turn.items[turn.items.length - 1]?.key
  return (
    <div class="tools" role="group" aria-label={t('steps.name', { n: calls })}>
      {steps.map((s) => {
        switch (s.kind) {
          case 'call': return <StepRow key={s.key} item={s.call} newest={s === last && live === s.key} />
          case 'thought': return <ThoughtRow key={s.key} item={s.thought} inBox />
          case 'looked': return <LookedRow key={s.key} id={s.key} calls={s.calls} />
        }
      })}
    </div>
  )
}

/** "Looked at 6 files, searched 2 times · 8 s". */
function LookedRow({ id, calls }: { id: string; calls: Call[] }) {
  const open = isUnfolded(id, false)
  const searched = calls.filter((c) => ['search', 'find', 'web'].includes(c.present?.verb ?? '')).length
  const looked = calls.filter((c) => c.present?.verb === 'read' || c.present?.verb === 'open').length
  const words = list([...(looked ? [t('looked.files', { n: looked })] : []), ...(searched ? [t('looked.searches', { n: searched })] : [])]) || t('steps.name', { n: calls.length })
  const millis = (calls[calls.length - 1]!.endedAt ?? 0) - calls[0]!.at
  return (
    <div class="tool looked">
      <button type="button" class="line" aria-expanded={open} onClick={() => unfold(id, !open)}>
        <Icon name="eye" class="st-mute" />
        <span class="verb">{words}</span>
        <span />
        <span class="size num">{millis >= 1000 && duration(millis)}</span>
        <Icon name={open ? 'down' : 'chevron'} size={14} class="chev" />
      </button>
      {open && <div class="inner">{calls.map((c) => <StepRow key={c.key} item={c} />)}</div>}
    </div>
  )
}
