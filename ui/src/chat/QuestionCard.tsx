// Questions of the model, one at a time: choices where it gave some, and always a
// free answer. What is half written survives a reload.

import { useEffect, useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { t } from '../i18n/t'
import type { Call } from '../items'
import { Button } from '../parts/Button'
import { SpelledText } from '../parts/Spelled'
import type { Question, QuestionAnswer } from '../wire'
import { ConsultFrame } from './ConsultFrame'
import { useSession } from './context'

const empty = (a: QuestionAnswer) => !a.chosen?.length && !a.text?.trim()

export function QuestionCard({ item }: { item: Call }) {
  const session = useSession()
  const questions = item.question?.questions ?? []
  const kept = `fairlead.answer.${session.id}.${item.call}`
  const answers = useSignal<QuestionAnswer[]>(read(kept, questions.length))
  const at = useSignal((answers.value.findIndex(empty) + questions.length) % questions.length) // -1, none is empty, is the last
  const question = questions[at.value]!, answer = answers.value[at.value]!
  const write = (change: QuestionAnswer) => {
    answers.value = answers.value.with(at.value, { ...answer, ...change })
    try { localStorage.setItem(kept, JSON.stringify(answers.value)) } catch { /* then it lives as long as the page */ }
  }
  // The next question takes over the focus of the one before it.
  const turned = useRef(false)
  useEffect(() => { if (turned.current) document.querySelector<HTMLElement>(`[data-ask="${CSS.escape(item.call ?? '')}"] [data-first]`)?.focus() }, [at.value])
  const last = at.value === questions.length - 1
  return (
    <ConsultFrame key={at.value} item={item} title={t('ask.question')} at={questions.length > 1 ? t('ask.of', { at: at.value + 1, n: questions.length }) : ''}
      body={<One id={item.key + '-' + at.value} question={question} answer={answer} write={write} />}
      buttons={({ able, act, steady }) => {
        const send = async () => { if (await act('question.answer', { answers: answers.value })) localStorage.removeItem(kept) }
        const go = () => {
          if (last) void send()
          else if (steady()) { turned.current = true; at.value++ }
        }
        return (
          <>
            <Button kind="go" disabled={!able || empty(answer)} onClick={go}>{last ? t('question.answer') : t('question.next')}</Button>
            <Button disabled={!able} onClick={() => { if (steady()) { write({ chosen: [], text: '' }); go() } }}>{t('question.skip')}</Button>
            {at.value > 0 && <Button kind="text" onClick={() => { at.value-- }}>{t('back')}</Button>}
          </>
        )
      }} />
  )
}

function One({ id, question, answer, write }: { id: string; question: Question; answer: QuestionAnswer; write: (change: QuestionAnswer) => void }) {
  const chosen = answer.chosen ?? []
  const pick = (label: string, on: boolean) => write({ chosen: question.many ? (on ? [...chosen, label] : chosen.filter((c) => c !== label)) : [label] })
  return (
    <fieldset class="question">
      <legend dir="auto"><SpelledText text={question.text} /></legend>
      {question.choices?.map((c, i) => (
        <label key={c.label} class="option">
          <input type={question.many ? 'checkbox' : 'radio'} name={id} checked={chosen.includes(c.label)} {...(i === 0 && { 'data-first': true })} onChange={(e) => pick(c.label, e.currentTarget.checked)} />
          <span class="nm" dir="auto"><SpelledText text={c.label} /></span>
          {c.about && <span class="ds" dir="auto"><SpelledText text={c.about} /></span>}
        </label>
      ))}
      <textarea class="note-field" rows={2} dir="auto" aria-label={t('question.own')} placeholder={t('question.own')} value={answer.text ?? ''} {...(!question.choices?.length && { 'data-first': true })}
        onInput={(e) => write({ text: e.currentTarget.value })} />
    </fieldset>
  )
}

/** What was half written before; as many answers as there are questions. */
function read(key: string, n: number): QuestionAnswer[] {
  let kept: QuestionAnswer[] = []
  try { kept = JSON.parse(localStorage.getItem(key) ?? '[]') as QuestionAnswer[] } catch { /* a damaged answer is none */ }
  return Array.from({ length: n }, (_, i) => kept[i] ?? {})
}
