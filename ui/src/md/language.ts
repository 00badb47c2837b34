// Names of languages for labels, from a path or a fence. No DOM.

const names: Record<string, string> = {
  go: 'Go', ts: 'TypeScript', tsx: 'TypeScript', js: 'JavaScript', jsx: 'JavaScript', mjs: 'JavaScript', py: 'Python', rs: 'Rust', java: 'Java', kt: 'Kotlin',
  c: 'C', h: 'C', cc: 'C++', cpp: 'C++', hpp: 'C++', cs: 'C#', rb: 'Ruby', php: 'PHP', swift: 'Swift', lua: 'Lua', sh: 'Shell', bash: 'Shell', zsh: 'Shell', ps1: 'PowerShell',
  sql: 'SQL', css: 'CSS', scss: 'SCSS', html: 'HTML', xml: 'XML', svg: 'SVG', vue: 'Vue', json: 'JSON', jsonl: 'JSON', yaml: 'YAML', yml: 'YAML', toml: 'TOML', ini: 'INI',
  md: 'Markdown', awk: 'AWK', pl: 'Perl', perl: 'Perl', r: 'R', scala: 'Scala', dart: 'Dart', ex: 'Elixir', exs: 'Elixir', hs: 'Haskell', zig: 'Zig', nix: 'Nix', tex: 'LaTeX', graphql: 'GraphQL', proto: 'Protocol Buffers', tf: 'Terraform', dockerfile: 'Dockerfile', makefile: 'Makefile', diff: 'diff', patch: 'diff',
  golang: 'Go', typescript: 'TypeScript', javascript: 'JavaScript', python: 'Python', rust: 'Rust', shell: 'Shell', console: 'Shell', markdown: 'Markdown',
}

/** The extension of a path, or its name where it has none: what languages are known by. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1) : name
}

/** The language's name, or '' where it is not one we know. */
export function languageName(word: string): string {
  const w = word.toLowerCase()
  return Object.hasOwn(names, w) ? names[w]! : ''
}
