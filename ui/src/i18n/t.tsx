// Every sentence of the page comes through t (a string) or tx (with elements in it).

import type { ComponentChildren } from 'preact'
import { signal } from '@preact/signals'
import en from './en.gen'
import { languages } from './keys.gen'
import type { Catalog, Key, Values } from './keys.gen'

export type { Key }
/** The keys whose sentence takes no values. */
export type PlainKey = { [K in Key]: [Values[K]] extends [never] ? K : never }[Key]
export type Language = 'en' | keyof typeof languages

/** The languages by their own names. */
export const languageNames: Record<Language, string> = {
  en: 'English', 'zh-Hans': '简体中文', ja: '日本語', ko: '한국어', de: 'Deutsch', fr: 'Français', es: 'Español', 'pt-BR': 'Português (Brasil)',
}

const spoken = signal<{ language: Language; catalog: Catalog }>({ language: 'en', catalog: en })

export function language(): Language { return spoken.value.language }

/** The language of ours that fits a list of BCP 47 tags best. */
export function nearest(tags: readonly string[]): Language {
  const ours = Object.keys(languageNames) as Language[]
  for (const tag of tags) {
    const exact = ours.find((l) => l.toLowerCase() === tag.toLowerCase())
    if (exact) return exact
    const base = tag.split('-')[0]!.toLowerCase()
    const same = ours.find((l) => l.split('-')[0] === base)
    if (same) return same
  }
  return 'en'
}

/** Loads a language and speaks it. */
export async function speak(wanted: Language): Promise<void> {
  const catalog = wanted === 'en' ? en : (await languages[wanted]()).default
  plurals = new Intl.PluralRules(wanted)
  formats.clear()
  spoken.value = { language: wanted, catalog }
  document.documentElement.lang = wanted
}

let plurals = new Intl.PluralRules('en')

type Args<K extends Key, V> = [Values[K]] extends [never] ? [] : [Record<Values[K], V>]

function form(key: Key, n: unknown): string {
  const message = spoken.value.catalog[key]
  if (typeof message === 'string') return message
  return message[plurals.select(Number(n))] ?? message.other ?? ''
}

/** The sentence of a key. Numbers among the values are written as the language does. */
export function t<K extends Key>(key: K, ...args: Args<K, string | number>): string {
  const values = (args[0] ?? {}) as Record<string, string | number>
  return form(key, values.n).replace(/\{(\w+)\}/g, (_, name: string) => {
    const v = values[name]
    return typeof v === 'number' ? count(v) : (v ?? '')
  })
}

/** As t, where a value is an element. */
export function tx<K extends Key>(key: K, ...args: Args<K, ComponentChildren>): ComponentChildren[] {
  const values = (args[0] ?? {}) as Record<string, ComponentChildren>
  return form(key, values.n).split(/(\{\w+\})/).filter(Boolean).map((part) => {
    if (!part.startsWith('{')) return part
    const v = values[part.slice(1, -1)]
    return typeof v === 'number' ? count(v) : v
  })
}

/** The sentence for a word that comes over the wire, or undefined where the catalog has none. */
export function word(prefix: string, name: string, values: Record<string, unknown> = {}): string | undefined {
  const key = (prefix ? prefix + '.' + name : name) as Key
  if (!(key in spoken.value.catalog)) return undefined
  return (t as (key: Key, values: unknown) => string)(key, Object.fromEntries(Object.entries(values).map(([k, v]) => [k, typeof v === 'number' ? v : String(v ?? '')])))
}

// Numbers, dates and lists are made once a language and shape.
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>()

function format<F extends Intl.NumberFormat | Intl.DateTimeFormat>(name: string, make: (language: string) => F): F {
  let f = formats.get(name)
  if (!f) formats.set(name, (f = make(region())))
  return f as F
}

/** The language with the browser's region, where they fit: en-GB writes 14:02. */
export function region(): string {
  const base = language().split('-')[0]
  return navigator.languages.find((l) => l.split('-')[0] === base) ?? language()
}

export function count(n: number): string {
  return format('count', (l) => new Intl.NumberFormat(l)).format(n)
}

/** US dollars: cents, and for less than one what is needed to see it. */
export function money(usd: number): string {
  return format(usd < 0.01 ? 'small money' : 'money', (l) => new Intl.NumberFormat(l, { style: 'currency', currency: 'USD', ...(usd < 0.01 && { maximumSignificantDigits: 2 }) })).format(usd)
}

export function percent(part: number): string {
  return format('percent', (l) => new Intl.NumberFormat(l, { style: 'percent', maximumFractionDigits: 0 })).format(part)
}

/** "a, b" without an "and": facts side by side. */
export function list(parts: string[]): string {
  return parts.length ? parts.reduce((a, b) => t('list.two', { a, b })) : ''
}

/** "1.2 MB" and the like; bytes of 1,000. */
export function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let n = bytes, at = 0
  while (n >= 1000 && at < units.length - 1) { n /= 1000; at++ }
  return format('size', (l) => new Intl.NumberFormat(l, { maximumFractionDigits: 1 })).format(n) + '\u00a0' + units[at]
}

/** "8 s", "1 min 4 s", "2 h 5 min". */
export function duration(millis: number): string {
  const s = Math.max(0, Math.round(millis / 1000))
  if (s < 60) return t('time.s', { s })
  const m = Math.floor(s / 60)
  if (m < 60) return s % 60 ? t('time.min-s', { m, s: s % 60 }) : t('time.min', { m })
  return m % 60 ? t('time.h-min', { h: Math.floor(m / 60), m: m % 60 }) : t('time.h', { h: Math.floor(m / 60) })
}

/** How long ago, short, up to seven days; then the date. */
export function ago(at: number, now: number): string {
  const s = Math.max(0, (now - at) / 1000)
  if (s < 60) return t('time.now')
  if (s < 3600) return t('time.min', { m: Math.floor(s / 60) })
  if (s < 86400) return t('time.h', { h: Math.floor(s / 3600) })
  if (s < 7 * 86400) return t('time.d', { d: Math.floor(s / 86400) })
  return format('day', (l) => new Intl.DateTimeFormat(l, { day: 'numeric', month: 'short' })).format(at)
}

export function clock(at: number): string {
  return format('clock', (l) => new Intl.DateTimeFormat(l, { hour: '2-digit', minute: '2-digit' })).format(at)
}

export function exactTime(at: number): string {
  return format('exact', (l) => new Intl.DateTimeFormat(l, { dateStyle: 'medium', timeStyle: 'medium' })).format(at)
}

export function month(at: number): string {
  return format('month', (l) => new Intl.DateTimeFormat(l, { month: 'long', year: 'numeric' })).format(at)
}
