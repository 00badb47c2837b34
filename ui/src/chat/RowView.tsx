// One row of the transcript, whichever kind it is.

import type { Turn } from '../items'
import type { Row } from '../rows'
import { AskCard } from './AskCard'
import { ConsultRow } from './ConsultRow'
import { DecidedLine } from './DecidedLine'
import { EndCard } from './EndCard'
import { FoldLine } from './FoldLine'
import { NoteLine, RetryLine } from './NoteLine'
import { ReplyRow } from './ReplyRow'
import { SaidRow } from './SaidRow'
import { StepBox } from './StepBox'
import { ThoughtRow } from './ThoughtRow'

export function RowView({ row, turn }: { row: Row; turn: Turn }) {
  return <div class="row" data-row={row.key}>{content(row, turn)}</div>
}

function content(row: Row, turn: Turn) {
  switch (row.kind) {
    case 'said': return <SaidRow item={row.item} turn={turn} />
    case 'reply': return <ReplyRow item={row.item} turn={turn} />
    case 'thought': return <ThoughtRow item={row.item} />
    case 'steps': return <StepBox steps={row.steps} calls={row.calls} turn={turn} />
    case 'ask': return <AskCard item={row.item} />
    case 'consult': return <ConsultRow item={row.item} />
    case 'decided': return <DecidedLine item={row.item} />
    case 'note': return <NoteLine item={row.item} />
    case 'retry': return <RetryLine item={row.item} />
    case 'end': return <EndCard item={row.item} turn={row.turn} />
    case 'folded': return <FoldLine turn={row.turn} open={row.open} />
  }
}
