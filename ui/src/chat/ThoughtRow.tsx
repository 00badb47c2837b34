import { duration, t } from '../i18n/t'
import type { Thought } from '../items'
import { Icon } from '../parts/Icon'
import { now } from '../state/clock'
import { useSession } from './context'
import { isUnfolded, unfold } from './folds'

/** The model's thinking: one line high, while it runs and afterwards; open shows the text as it came. */
export function ThoughtRow({ item, inBox }: { item: Thought; inBox?: boolean }) {
  const session = useSession()
  const pulse = session.pulse(item.message)
  if (item.live) void pulse.value
  const text = item.live ? (session.transcript.streams.get(item.message)?.reasoning.text ?? '') : item.text
  const open = isUnfolded(item.key, false)
  const millis = item.live ? now.value - item.at : (item.millis ?? 0)
  return (
    <div class={inBox ? 'tool' : 'thought'}>
      <button type="button" class={inBox ? 'line' : 'think'} aria-expanded={open} onClick={() => unfold(item.key, !open)}>
        <Icon name="spark" size={inBox ? 16 : 14} class="st-mute" />
        <span class="verb">{item.live ? t('thought.running', { time: spent(millis) }) : millis >= 1000 ? t('thought.done', { time: spent(millis) }) : t('thought.short')}</span>
        {item.live && !open && <span class="what tail" dir="auto">{lastWords(text)}</span>}
        {!item.live && inBox && <span />}
        {inBox && <span />}
        <Icon name={open ? 'down' : 'chevron'} size={inBox ? 14 : 12} class="chev" />
      </button>
      {open && <div class="thinking" dir="auto" tabIndex={0}>{text}</div>}
    </div>
  )
}

const spent = (millis: number) => duration(Math.max(1000, millis))

/** The last line with words in it. */
function lastWords(text: string): string {
  const lines = text.trimEnd().split('\n')
  return lines[lines.length - 1]!.slice(-200)
}
