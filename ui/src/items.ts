// What a transcript is made of. Items are values: a change makes a new one.

import type { AskedData, AssistantMessageData, DecidedData, NoteData, Part, PlanDecidedData, PlanProposedData, Present, QuestionAnsweredData, QuestionAskedData, RequestAttemptData, ToolResultData, TurnEndData, TurnStartData } from './wire'

interface Common {
  /** Stable for the life of the item, unique in the session. */
  key: string
  seq: number
  at: number
  step: number
}

/** What a person (or a goal, a task, a parent) said. */
export interface Said extends Common {
  kind: 'said'
  id: string
  content: Part[]
  origin?: string
  delivery?: string
}

/** A reply's thinking. While live its text is in the stream of `message`. */
export interface Thought extends Common {
  kind: 'thought'
  message: string
  text: string
  live: boolean
  millis?: number
}

/** A reply's answer. While live its text is in the stream of `message`. */
export interface Reply extends Common {
  kind: 'reply'
  message: string
  text: string
  live: boolean
  interrupted?: boolean
  data?: AssistantMessageData
}

export type CallState = 'drafting' | 'queued' | 'proposed' | 'running' | 'done' | 'denied' | 'error' | 'stopped'

/** One tool call, from the model's first letter of it to its result. */
export interface Call extends Common {
  kind: 'call'
  state: CallState
  tool: string
  /** Ours, once the call is in the pipeline. */
  call?: string
  modelId?: string
  /** Where the model is writing it: the stream it is in, and its place there. */
  message?: string
  index?: number
  arguments: string
  present?: Present
  asked?: AskedData & { at: number }
  decided?: DecidedData & { at: number }
  /** What the model put before the person, and what became of it. */
  question?: QuestionAskedData & { at: number }
  answered?: QuestionAnsweredData & { at: number }
  plan?: PlanProposedData & { at: number }
  planned?: PlanDecidedData & { at: number }
  startedAt?: number
  endedAt?: number
  result?: ToolResultData
  parent?: string
  /** A question with no call behind it: nothing runs when it is answered. */
  bare?: boolean
}

/** True for a call that is a matter between the model and the person: a question, a plan. */
export function isConsult(c: Call): boolean { return c.question !== undefined || c.plan !== undefined || (c.tool === 'plan' && c.state === 'drafting') }

/** Since when a call waits for the person; 0 where it does not. */
export function waitsSince(c: Call): number {
  if (c.state === 'proposed') return c.asked?.at ?? 1
  if (c.endedAt) return 0
  if (c.question && !c.answered) return c.question.at
  return c.plan && !c.planned ? c.plan.at : 0
}

/** A sentence of the product's own. */
export interface Note extends Common {
  kind: 'note'
  note: NoteData
  details?: string
}

/** An attempt failed and another one follows. */
export interface Retry extends Common {
  kind: 'retry'
  attempt: RequestAttemptData
}

/** How a turn ended, where there is something to say. */
export interface End extends Common {
  kind: 'end'
  end: TurnEndData
}

export type Item = Said | Thought | Reply | Call | Note | Retry | End

/** One turn, or what was logged between two turns (turn 0). */
export interface Turn {
  key: string
  turn: number
  items: Item[]
  start?: TurnStartData
  startedAt: number
  /** The last event before the turn and what asked for it: where a fork may say it differently. */
  before?: number
  end?: TurnEndData
  endedAt?: number
  endSeq?: number
  /** Goes up with every change of the turn. */
  rev: number
}

/** True while the turn may still grow. */
export function isOpen(turn: Turn): boolean {
  return turn.turn > 0 && turn.end === undefined
}
