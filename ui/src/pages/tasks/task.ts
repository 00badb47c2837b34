// A task as the host tells it, and its times in words.

import { language, region, t } from '../../i18n/t'

export type When = 'cron' | 'every' | 'at'

/** What can be written of a task. */
export interface Written {
  name: string
  prompt: string
  folder?: string
  at?: string
  every?: string
  cron?: string
  zone?: string
  from?: string
  missed?: string
  mode?: string
  model?: string
  effort?: string
  preset?: string
  off?: boolean
}

export interface Past {
  due: string
  outcome: string
  session?: string
  text?: string
}

export interface Task extends Written {
  mode: string
  next: string[]
  running?: boolean
  problem?: string
  last?: Past
  history?: Past[]
}

/** The way a task is timed. */
export function whenOf(w: Written): When { return w.every ? 'every' : w.at ? 'at' : 'cron' }

/** What is written of a task, without what the host knows of it beside. */
export function written(task: Task): Written {
  const { next: _next, running: _running, problem: _problem, last: _last, history: _history, ...rest } = task
  return rest
}

/** "tomorrow at 07:00"; with the zone where it is not the browser's. */
export function inWords(at: number, now: number, zone = ''): string {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const timeZone = zone || here
  const day = (moment: number) => Date.parse(new Intl.DateTimeFormat('en-CA', { timeZone }).format(moment)) / 86_400_000
  const days = day(at) - day(now)
  const time = new Intl.DateTimeFormat(region(), { timeZone, hour: '2-digit', minute: '2-digit', ...(timeZone !== here && { timeZoneName: 'short' }) }).format(at)
  const words = days >= 0 && days <= 1
    ? new Intl.RelativeTimeFormat(language(), { numeric: 'auto' }).format(days, 'day')
    : new Intl.DateTimeFormat(region(), { timeZone, weekday: 'long', day: 'numeric', month: 'long', ...(days > 300 && { year: 'numeric' }) }).format(at)
  return t('task.when', { day: words, time })
}
