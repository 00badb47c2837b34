import type { FiberState } from '../../graph/fiber'
import { Icon, Spin } from '../../parts/Icon'

/** The sign of a part's state; the word stands beside it. */
export function StateMark({ state }: { state: FiberState }) {
  switch (state) {
    case 'active': return <Icon name="check" size={14} class="st-ok" />
    case 'failed': return <Icon name="cross" size={14} class="st-bad" />
    case 'waiting': return <Icon name="clock" size={14} class="st-info" />
    case 'starting':
    case 'stopping': return <Spin />
    case 'stopped': return <Icon name="stopped" size={14} class="st-mute" />
  }
}
