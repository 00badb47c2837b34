// Colours for code. The languages people meet daily are in the page, the others are
// fetched when a fence of theirs closes.

import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import type { LanguageFn } from 'highlight.js'
import { toNodes } from './sanitise'

const here: Record<string, LanguageFn> = { bash, diff, go, ini, json, python, rust, typescript, xml, yaml }
for (const [name, language] of Object.entries(here)) hljs.registerLanguage(name, language)

const away: Record<string, () => Promise<{ default: LanguageFn }>> = {
  cpp: () => import('highlight.js/lib/languages/cpp'),
  css: () => import('highlight.js/lib/languages/css'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  java: () => import('highlight.js/lib/languages/java'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
}

const aliases: Record<string, string> = {
  sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', js: 'typescript', jsx: 'typescript', mjs: 'typescript', javascript: 'typescript', ts: 'typescript', tsx: 'typescript',
  py: 'python', rs: 'rust', yml: 'yaml', toml: 'ini', conf: 'ini', html: 'xml', svg: 'xml', vue: 'xml', golang: 'go', patch: 'diff', jsonl: 'json', json5: 'json',
  c: 'cpp', h: 'cpp', cc: 'cpp', hpp: 'cpp', 'c++': 'cpp', cs: 'csharp', kt: 'kotlin', rb: 'ruby', ps1: 'powershell', md: 'markdown', docker: 'dockerfile', make: 'makefile', mk: 'makefile', scss: 'css', less: 'css',
}

/** Text longer than this stays plain: colouring it would hold up the page. */
const longest = 200_000

/** Colours the text of an element that shows code in that language, now or when the language is there. */
export async function highlight(el: HTMLElement, language: string): Promise<void> {
  const name = aliases[language.toLowerCase()] ?? language.toLowerCase()
  const code = el.textContent ?? ''
  if (code.length > longest) return
  if (!hljs.getLanguage(name)) {
    const load = Object.hasOwn(away, name) ? away[name] : undefined
    if (!load) return
    try {
      hljs.registerLanguage(name, (await load()).default)
    } catch {
      return // without its colours code is still code
    }
    if (el.textContent !== code) return
  }
  el.replaceChildren(toNodes(hljs.highlight(code, { language: name, ignoreIllegals: true }).value))
}
