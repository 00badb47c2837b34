// What stands after an at sign. No DOM.

/** The mention that is being typed before the caret: where it begins, and its words. */
export function mentionAt(text: string, caret: number): { from: number; words: string } | undefined {
  const found = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, caret))
  return found ? { from: caret - found[1]!.length - 1, words: found[1]! } : undefined
}

/** A path as it stands in a message: in quotes where it has blanks. */
export function quotedPath(path: string): string { return /\s/.test(path) ? `"${path}"` : path }
