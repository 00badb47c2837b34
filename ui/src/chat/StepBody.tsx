// What an opened step shows: label, result, arguments; nothing is left out silently.

import { list, t, word } from '../i18n/t'
import type { Call } from '../items'
import { contentOf } from '../labels'
import { extensionOf } from '../md/language'
import { readDraft } from '../draft'
import { CopyButton } from '../parts/CopyButton'
import { DiffView } from '../parts/DiffView'
import { Label, describe } from '../parts/Label'
import { SourceView, TerminalView } from '../parts/TextView'
import { Mini } from '../parts/Button'
import { saveFile } from '../parts/save'
import { attempt } from '../state/toasts'
import { request } from '../http'
import { useSignal } from '@preact/signals'
import type { BlobRef } from '../wire'
import { useSession } from './context'
import { DecidedWords } from './DecidedLine'
import { CardPayload } from './CardPayload'
import { outcomeOf } from './outcome'
import { draftText } from './StepRow'

/** How many of the last lines a failed step shows at first. */
const errorLines = 40
const liveLines = 200

export function StepBody({ item }: { item: Call }) {
  return (
    <div class="body">
      {item.state === 'drafting' ? <Drafting item={item} />
        : item.state === 'denied' ? <Denied item={item} />
          : item.result ? <Result item={item} />
            : <Waiting item={item} />}
      {item.decided && item.state !== 'denied' && <p class="plain quiet"><DecidedWords item={item} /></p>}
    </div>
  )
}

function Drafting({ item }: { item: Call }) {
  const session = useSession()
  void session.pulse(item.message ?? '').value
  const draft = readDraft(draftText(session, item))
  const text = draft.body || draftText(session, item)
  return <TerminalView text={text.split('\n').slice(-12).join('\n')} label={t('draft.name')} follow />
}

function Waiting({ item }: { item: Call }) {
  const session = useSession()
  if (item.call) void session.outputPulse(item.call).value
  const output = item.call ? session.transcript.outputs.get(item.call)?.tail(liveLines) : ''
  return (
    <>
      <Arguments item={item} />
      {output && <TerminalView text={output} label={t('output.live')} follow />}
    </>
  )
}

function Denied({ item }: { item: Call }) {
  const by = item.result?.deniedBy
  const next = by === 'mode' ? t('denied.mode-next') : by === 'nobody' ? t('denied.nobody-next') : word('denied-next', by ?? '')
  return (
    <>
      {next && <p class="plain">{next}</p>}
      {item.asked ? <CardPayload card={item.asked.card} /> : <Arguments item={item} open />}
      {item.result && by !== 'person' && <Raw item={item} part="reason" />}
    </>
  )
}

function Result({ item }: { item: Call }) {
  const out = outcomeOf(item)
  const { view } = out
  const label = list([out.label, ...out.more])
  return (
    <>
      {out.sentence && <p class="plain">{out.sentence}</p>}
      {view.kind === 'diff'
        ? (
          <>
            <Label part={view.isNew ? 'new-file' : 'change'} what={out.label} more={out.more}><CopyButton text={() => view.unified} /></Label>
            <DiffView unified={view.unified} label={label} />
            {item.state === 'error' && <Raw item={item} part="error" />}
          </>
        )
        : (
          <>
            <Label part={item.state === 'error' ? 'error' : 'result'} what={out.label} more={out.more}>
              {item.result?.spill && <WholeButton blob={item.result.spill} call={item.call ?? ''} />}
              <CopyButton text={() => out.text} />
            </Label>
            <ResultText item={item} label={label} />
          </>
        )}
      <Arguments item={item} />
    </>
  )
}

function ResultText({ item, label }: { item: Call; label: string }) {
  const out = outcomeOf(item)
  if (out.text === '') return null
  if (out.view.kind === 'terminal' || item.state === 'error') return <TerminalView text={out.text} label={label} last={item.state === 'error' ? errorLines : 0} />
  const language = out.view.kind === 'read' ? (out.view.lang || extensionOf(out.view.path)) : out.content.kind === 'json' ? 'json' : out.content.kind === 'diff' ? 'diff' : ''
  return <SourceView text={out.text} label={label} language={language} />
}

function Raw({ item, part }: { item: Call; part: string }) {
  const out = outcomeOf(item)
  if (!out.text) return null
  return (
    <>
      <Label part={part} what={describe(contentOf(out.text))}><CopyButton text={() => out.text} /></Label>
      <TerminalView text={out.text} label={word('part', part) ?? part} />
    </>
  )
}

/** The arguments as they came; folded behind their label unless they are all there is. */
function Arguments({ item, open }: { item: Call; open?: boolean }) {
  const text = pretty(item.arguments)
  if (!text || text === '{}') return null
  const what = describe(contentOf(text, { kind: 'json' }))
  const body = (
    <>
      <Label part="arguments" what={what}><CopyButton text={() => item.arguments} /></Label>
      <SourceView text={text} label={what} language="json" />
    </>
  )
  if (open || !item.result) return body
  return <details class="args"><summary><Label part="arguments" what={what} /></summary><SourceView text={text} label={what} language="json" /></details>
}

function pretty(json: string): string {
  try { return JSON.stringify(JSON.parse(json), null, 2) } catch { return json }
}

/** Saves the whole of a result whose middle is not in the log. */
function WholeButton({ blob, call }: { blob: BlobRef; call: string }) {
  const session = useSession()
  const busy = useSignal(false)
  const open = async () => {
    busy.value = true
    const answer = await attempt(request('GET', `sessions/${session.id}/blobs/${blob.sha256}`).then((a) => a.blob()))
    busy.value = false
    if (!answer) return
    saveFile(new Blob([answer], { type: 'text/plain;charset=utf-8' }), call + '.txt')
  }
  return <Mini disabled={busy.value} onClick={() => void open()}>{t('output.whole')}</Mini>
}
