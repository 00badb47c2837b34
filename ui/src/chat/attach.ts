// Files for a message: text and pictures, read in the page and kept by the session
// when the message goes.

import { request } from '../http'
import type { Attachment } from '../state/drafts'

const largest = 20_000_000

/** Reads what can be read; the names of the others are in refused. */
export async function filesOf(files: File[]): Promise<{ taken: Attachment[]; refused: string[] }> {
  const taken: Attachment[] = [], refused: string[] = []
  for (const f of files) {
    if (f.size > largest) refused.push(f.name)
    else if (/^image\/(png|jpeg|gif|webp)$/.test(f.type)) taken.push({ name: f.name, picture: { mime: f.type, url: await dataUrl(f) } })
    else {
      const text = await f.text()
      if (text.includes('\ufffd') || text.includes('\0')) refused.push(f.name)
      else taken.push({ name: f.name, text })
    }
  }
  return { taken, refused }
}

function dataUrl(f: File): Promise<string> {
  return new Promise((done, fail) => {
    const r = new FileReader()
    r.onload = () => done(r.result as string)
    r.onerror = () => fail(r.error ?? new Error(f.name))
    r.readAsDataURL(f)
  })
}

export interface Sent {
  sha256: string
  mime: string
  name: string
}

/** Hands the files to the session; what a message names them by. */
export async function sendFiles(session: string, files: Attachment[]): Promise<Sent[]> {
  const out: Sent[] = []
  for (const f of files) {
    const mime = f.picture?.mime ?? 'text/plain'
    const body = f.picture?.url ? bytesOf(f.picture.url) : new Blob([f.text ?? ''])
    const answer = await request('POST', `sessions/${session}/blobs`, { body, headers: { 'Content-Type': 'application/octet-stream' } })
    const { sha256 } = (await answer.json()) as { sha256: string }
    out.push({ sha256, mime, name: f.name })
  }
  return out
}

function bytesOf(url: string): Blob {
  const raw = atob(url.slice(url.indexOf(',') + 1))
  return new Blob([Uint8Array.from(raw, (c) => c.charCodeAt(0))])
}
