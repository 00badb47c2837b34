// Code generated from the Go types by `make gen`; DO NOT EDIT.

/** The payload of every event kind. */
export interface Payloads {
  /** the session exists; always event 1 of a log that is not a fork */
  'session/created': CreatedData
  /** the session has a title; a person's pins it */
  'session/titled': TitledData
  /** a model is asked for a title: a request beside those of the turns, with all it is made of */
  'title/asked': TitleAskedData
  /** the session goes on from another one's event; the first event of a fork's own */
  'session/forked': ForkedData
  /** the log goes on in a newer format; what stands before it is read as it was written */
  'session/upgraded': UpgradedData
  /** put away, brought back or pinned */
  'session/archived': ArchivedData
  /** a host ended in the middle of a turn; what was open is settled */
  'session/recovered': RecoveredData
  /** damage was found and set aside */
  'session/incident': IncidentData
  /** the agent begins to run */
  'activity/start': Record<string, never>
  /** the agent is idle */
  'activity/end': Record<string, never>
  /** admitted input is being drained */
  'turn/start': TurnStartData
  /** the turn is over, with its first cause */
  'turn/end': TurnEndData
  /** one model request and its calls begin */
  'step/start': Record<string, never>
  /** the step is over */
  'step/end': Record<string, never>
  /** a message was queued, claimed, edited, promoted or removed */
  'inbox/changed': InboxChangedData
  /** what the person said */
  'user/message': UserMessageData
  /** what the harness tells the model, as a message of the user's side */
  'context/injected': InjectedData
  /** what is about to be sent, by hashes and references */
  'request/header': RequestHeaderData
  /** an attempt failed; whether and when the next one follows */
  'request/attempt': RequestAttemptData
  /** what the normaliser changed on the way out */
  'request/repaired': RequestRepairedData
  /** the next request does not extend the last one, and why */
  'prefix/broken': PrefixBrokenData
  /** a pack of streamed text; superseded by the message */
  'assistant/delta': DeltaData
  /** a reply, whole or interrupted */
  'assistant/message': AssistantMessageData
  /** a call enters the pipeline */
  'tool/call': ToolCallData
  /** the call's body runs; without it a call had no effect */
  'tool/started': ToolStartedData
  /** output so far, in packs */
  'tool/progress': ToolProgressData
  /** a call made inside another call's program */
  'tool/subcall': ToolCallData
  /** what came of a call; every call has exactly one */
  'tool/result': ToolResultData
  /** model and effort from the next step on */
  'model/selected': ModelSelectedData
  /** the capability set of the session */
  'preset/selected': PresetSelectedData
  /** told to the person, never to the model */
  'note': NoteData
  /** a person is asked about a call, with everything the card shows */
  'approval/asked': AskedData
  /** whether a call may run and who said so; every call has one, also where nobody was asked */
  'approval/decided': DecidedData
  /** the bytes of a file that a call has shown to the model */
  'file/observed': FileObservedData
  /** a call changed a file; what stood there before and after */
  'file/changed': FileChangedData
  /** how much the session asks from here on */
  'mode/selected': ModeSelectedData
  /** a standing permission was given or taken back */
  'rule/changed': RuleChangedData
  /** the whole list of steps of a task, as the model sees it now */
  'todo/written': TodoData
  /** a command or a terminal was started that runs beside the turns */
  'job/started': JobStartedData
  /** it has ended, was ended, or was lost with its host */
  'job/ended': JobEndedData
  /** the model asks the person something it needs to go on */
  'question/asked': QuestionAskedData
  /** what the person answered, or why nobody did */
  'question/answered': QuestionAnsweredData
  /** the model proposes a plan, which waits for the person */
  'plan/proposed': PlanProposedData
  /** what became of a proposed plan, and the mode it goes on in */
  'plan/decided': PlanDecidedData
  /** a turn that went nowhere is ended, and why */
  'guard/stopped': GuardStoppedData
  /** a person gave this session a larger budget */
  'budget/raised': BudgetRaisedData
  /** how full the model's context was with a request, and with what */
  'context/measured': MeasuredData
  /** a message does not fit and is not sent; a mark stands for it */
  'context/withheld': WithheldData
  /** room is being made in the context */
  'compaction/start': StartedData
  /** an old result or message is shortened for the model */
  'compaction/pruned': PrunedData
  /** stands for the oldest part of the conversation */
  'compaction/summary': SummaryData
  /** making room is over, with what it gave */
  'compaction/end': EndedData
  /** a person took back what a turn, or an earlier taking back, changed in files */
  'undo/done': UndoneData
}

export interface ArchivedData {
  archived: boolean
  pinned: boolean
}

export interface AskedData {
  call: string
  hash: string
  tool: string
  card: Card
  cwd?: string
  mode: string
  chat?: string
}

export interface AssistantMessageData {
  id: string
  content?: Part[]
  reasoning?: Reasoning[]
  calls?: Call[]
  finish?: string
  usage?: Usage
  costUsd?: number
  model?: string
  interrupted?: boolean
  ms?: number
  firstMs?: number
  thinkMs?: number
}

export interface BlobRef {
  sha256: string
  size: number
}

export interface BudgetRaisedData {
  scope: string
  limits: Limits
}

export interface Call {
  id: string
  name: string
  arguments: string
  cut?: boolean
  extra?: string
}

export interface Card {
  title: string
  hero: string
  facts?: Fact[]
  why?: string
  parts: CardPart[] | null
  grave?: string
  binds?: Record<string, string>
  wider?: Wider[]
}

export interface CardPart {
  name: string
  kind: string
  path?: string
  text: string
}

export interface Carried {
  source?: string
  text: string
}

export interface Change {
  path: string
  before?: BlobRef
  after?: BlobRef
  mode: number
  added: number
  removed: number
  merged?: boolean
}

export interface CreatedData {
  format: number
  version: string
  id: string
  folder?: string
  preset?: string
  parent?: string
  origin?: string
}

export interface DecidedData {
  call: string
  decision: string
  by: string
  rule?: string
  note?: string
  reason?: string
  mode?: string
  hash?: string
}

export interface DeltaData {
  message: string
  channel: string
  offset: number
  text: string
  call?: number
  name?: string
  thought?: boolean
}

export interface EndReason {
  kind: string
  by?: string
}

export interface EndedData {
  by: string
  before: number
  after: number
  window: number
  start: number
  items: number
  pruned?: number
  pieces?: number
  plain: number
  parts: Parts
  error?: string
}

export interface ErrorData {
  code: string
  message: string
  details?: string
}

export interface Event {
  seq: number
  at: number
  type: string
  turn?: number
  step?: number
  ignorable?: boolean
  data?: unknown
  blob?: BlobRef
  h?: string
}

export interface Fact {
  key: string
  values?: Record<string, unknown>
  warn?: boolean
}

export interface FileChangedData {
  call: string
  path: string
  before?: BlobRef
  after?: BlobRef
  mode: number
  added: number
  removed: number
}

export interface FileObservedData {
  call: string
  path: string
  sha256: string
}

export interface ForkedData {
  format: number
  version: string
  id: string
  parent: string
  seq: number
  hash: string
  for?: string
}

export interface GuardStoppedData {
  by: string
  call?: string
  count?: number
}

export interface InboxChangedData {
  op: string
  message?: Queued
  ids?: string[]
}

export interface IncidentData {
  what: string
  text: string
  afterSeq: number
  line?: number
  offset?: number
  bytes?: number
  lost?: Span
  kept?: string
}

export interface InjectedData {
  id: string
  source: string
  text: string
}

export interface JobEndedData {
  job: string
  state: string
  by?: string
  exitCode: number
  signal?: string
  left?: string[]
  protected?: string[]
  output?: BlobRef
}

export interface JobStartedData {
  job: string
  call: string
  kind: string
  command: string
  dir: string
}

export interface Limits {
  steps?: number
  tokens?: number
  usd?: number
  ns?: number
}

export interface MeasuredData {
  route: string
  tokens: number
  measured: boolean
  window: number
  source: string
  start: number
  soon?: boolean
  plain: number
  parts: Parts
  total?: number
  read?: number
}

export interface ModeSelectedData {
  mode: string
  by: string
  host: string
}

export interface ModelSelectedData {
  route: string
  effort?: string
}

export interface NoteData {
  key?: string
  values?: Record<string, unknown>
  text: string
  level?: string
}

export interface Params {
  effort?: string
  maxTokens?: number
  temperature?: number
  topP?: number
  quirks: Quirks
  extra?: Record<string, unknown>
}

export interface Part {
  text?: string
  mime?: string
  blob?: string
  name?: string
}

export interface Parts {
  system: number
  tools: number
  files: number
  messages: number
  results: number
}

export interface PlanDecidedData {
  call: string
  decision?: string
  mode?: string
  note?: string
  by: string
}

export interface PlanProposedData {
  call: string
  text: string
}

export interface PrefixBrokenData {
  cause: string
}

export interface Present {
  verb: string
  what: string
  full?: string
  looks?: boolean
}

export interface PresetSelectedData {
  preset: string
}

export interface PrunedData {
  shadows: Span
  role: string
  callId?: string
  failed?: boolean
  content: Part[] | null
  left: number
}

export interface Question {
  text: string
  choices?: QuestionChoice[]
  many?: boolean
}

export interface QuestionAnswer {
  chosen?: string[]
  text?: string
}

export interface QuestionAnsweredData {
  call: string
  by: string
  answers?: QuestionAnswer[]
}

export interface QuestionAskedData {
  call: string
  questions: Question[] | null
}

export interface QuestionChoice {
  label: string
  about?: string
}

export interface Queued {
  id: string
  content: Part[] | null
  delivery: string
  origin?: string
  source?: string
  mode?: string
  model?: string
  effort?: string
}

export interface Quirks {
  thinking?: string
  alternate?: boolean
  textOnly?: boolean
  plainSchemas?: boolean
  outputLimit?: number
  capField?: string
  noTools?: boolean
  shortIds?: boolean
  noUsage?: boolean
  noEffort?: boolean
}

export interface Reasoning {
  text?: string
  field?: string
  signature?: string
  opaque?: unknown
}

export interface RecoveredData {
  turn: number
  notStarted?: string[]
  outcomeUnknown?: string[]
}

export interface RequestAttemptData {
  request: number
  attempt: number
  code: string
  status?: number
  message?: string
  waitMs?: number
  final?: boolean
  model?: string
  usage?: Usage
  costUsd?: number
}

export interface RequestHeaderData {
  request: number
  route: string
  model: string
  wire: string
  surface: number
  system: string
  tools: string
  params: Params
  body: string
  bytes: number
  same: number
  prior: number
  until?: number
  ask?: string
}

export interface RequestRepairedData {
  request: number
  repairs: string[] | null
}

export interface Rule {
  id: string
  scope: string
  folder: string
  command?: string
  dir?: string
  pattern?: string
  below?: string
  web?: string
  no?: boolean
}

export interface RuleChangedData {
  op: string
  rule: Rule
}

export interface Span {
  from: number
  to: number
}

export interface StartedData {
  by: string
  before: number
  window: number
}

export interface SummaryData {
  shadows: Span
  items: number
  text: string
  by: string
  said?: Carried
  told?: Carried[]
  message: string
  route?: string
  usage: Usage
  costUsd?: number
}

export interface TitleAskedData {
  route: string
  model: string
  wire: string
  system: string
  text: string
  params: Params
  body: string
  bytes: number
}

export interface TitledData {
  title: string
  by: string
  model?: string
  usage?: Usage
  costUsd?: number
}

export interface TodoData {
  items: TodoItem[] | null
}

export interface TodoItem {
  text: string
  state: string
}

export interface ToolCallData {
  call: string
  modelId?: string
  parent?: string
  caller: string
  tool: string
  arguments: string
  present: Present
}

export interface ToolProgressData {
  call: string
  offset: number
  text: string
}

export interface ToolResultData {
  call: string
  modelId?: string
  parent?: string
  content: Part[] | null
  failed?: boolean
  code?: string
  deniedBy?: string
  view?: unknown
  spill?: BlobRef
  ms?: number
}

export interface ToolStartedData {
  call: string
}

export interface TurnEndData {
  reason: EndReason
  text?: string
  key?: string
  values?: Record<string, unknown>
  error?: ErrorData
  usage: Usage
  steps: number
  ms: number
  changed?: string[]
  costUsd?: number
}

export interface TurnStartData {
  mode: string
  model?: string
  effort?: string
  origin?: string
}

export interface UndoneData {
  of: string
  files: Change[] | null
}

export interface UpgradedData {
  format: number
  version: string
}

export interface Usage {
  input?: number
  cached?: number
  output?: number
  reasoning?: number
  written?: number
}

export interface UserMessageData {
  id: string
  content: Part[] | null
  delivery?: string
  origin?: string
}

export interface Wider {
  id: string
  label: string
  key?: string
  values?: Record<string, unknown>
  scope: string
}

export interface WithheldData {
  shadows: Span
  id?: string
  tokens: number
  room: number
  mark: string
}
