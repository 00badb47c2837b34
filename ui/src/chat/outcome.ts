// What came of a call, in words: for the end of its row and for the label of its result.

import { list, t } from '../i18n/t'
import type { Call } from '../items'
import { contentOf } from '../labels'
import type { Content } from '../labels'
import { describe } from '../parts/Label'
import type { ResultView } from '../wire'
import { plain } from '../wire'

export interface Outcome {
  /** For the row: "Go source (2,148 chars, 86 lines)", "did not work, exit code 1". */
  short: string
  /** For the label of the opened result. */
  label: string
  /** What is unusual: an exit code, a cut. */
  more: string[]
  /** The plain sentence of a step that did not work. */
  sentence?: string
  content: Content
  text: string
  view: ResultView
}

export function viewOf(item: Call): ResultView {
  return (item.result?.view as ResultView | undefined) ?? { kind: 'text' }
}

export function outcomeOf(item: Call): Outcome {
  const view = viewOf(item)
  const raw = plain(item.result?.content)
  // What was read is counted and shown without the line numbers it was read with.
  const text = view.kind === 'read' ? raw.replace(/^ *\d+→/gm, '') : raw
  const content = contentOf(text, hintOf(view))
  const label = describe(content)
  const base = { text, view, content, label, more: [] as string[] }
  const failed = item.state === 'error'
  switch (view.kind) {
    case 'terminal': {
      const more: string[] = []
      const code = view.exitCode ?? 0
      if (view.timedOut) more.push(t('outcome.timed-out'))
      else if (view.signal) more.push(t('outcome.signal', { signal: view.signal }))
      else if (code !== 0) more.push(t('outcome.exit', { code: String(code) }))
      if (view.cut) more.push(t('outcome.cut', { head: view.cut.shownHead, tail: view.cut.shownTail, n: view.cut.lines }))
      const what = more[0] ?? t('outcome.exit', { code: String(code) })
      return {
        ...base, more, short: failed || code !== 0 ? t('outcome.failed-how', { how: what }) : label,
        ...(failed && { sentence: view.timedOut ? t('outcome.timed-out-sentence') : t('outcome.command-failed', { how: what }) }),
      }
    }
    case 'diff': {
      const change = view.isNew ? t('outcome.new', { n: view.added }) : t('outcome.changed', { added: view.added, removed: view.removed })
      return { ...base, short: failed ? t('outcome.failed') : change, label: describe(contentOf(view.unified, { kind: 'diff' })) }
    }
    case 'search':
      return { ...base, short: list([t('outcome.matches', { n: view.matches }), t('outcome.in-files', { n: view.files })]), more: view.truncated ? [t('outcome.first-only')] : [] }
    case 'files':
      return { ...base, short: t('outcome.files', { n: view.count }), more: view.truncated ? [t('outcome.first-only')] : [] }
    case 'todo':
      return { ...base, short: t('outcome.todo', { n: view.items.length }) }
    default:
      return { ...base, short: failed ? t('outcome.failed') : label, ...(failed && { sentence: t('outcome.step-failed') }) }
  }
}

function hintOf(view: ResultView): Parameters<typeof contentOf>[1] {
  switch (view.kind) {
    case 'terminal': return { kind: 'terminal' }
    case 'read': return { path: view.path, ...(view.lang && { language: view.lang }) }
    case 'search': return { kind: 'search' }
    case 'files': return { kind: 'files' }
    default: return {}
  }
}
