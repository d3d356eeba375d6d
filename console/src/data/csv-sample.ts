import { beginningOf, PREVIEW_BYTES, readPart } from './imports.ts'

const READ_BYTES = 1_048_576
const STEP_BYTES = 4_096
const MAX_CHARACTER_BYTES = 4
/** A line is at most this long. */
const LINE_BYTES = 65_536
const LINE_FEED = 10

const samples = new WeakMap<Blob, Promise<Blob>>()

/**
 * The part of a CSV file that a preview needs: its beginning and, if that does not show the encoding, the first later lines that are not valid
 * UTF-8.
 */
export function csvSample(file: Blob): Promise<Blob> {
  const sample = samples.get(file) ?? findSample(file)
  samples.set(file, sample)
  sample.catch(() => samples.delete(file))
  return sample
}

async function findSample(file: Blob): Promise<Blob> {
  const start = new Uint8Array(await beginningOf(file))
  const at = start.includes(0) ? undefined : await findInvalid(file)
  if (at === undefined || at < start.length) return new Blob([start])
  const from = at - LINE_BYTES
  const part = new Uint8Array(await readPart(file, from, at + PREVIEW_BYTES / 2))
  const lineStart = part.lastIndexOf(LINE_FEED, at - from) + 1
  const half = start.subarray(0, PREVIEW_BYTES / 2)
  const head = half.subarray(0, half.lastIndexOf(LINE_FEED) + 1)
  return new Blob([head, part.subarray(lineStart, lineStart + PREVIEW_BYTES - head.length)])
}

/** Where the first bytes that are not valid UTF-8 are, at most `STEP_BYTES` before them. */
async function findInvalid(file: Blob): Promise<number | undefined> {
  const text = new TextDecoder('utf-8', { fatal: true })
  for (let read = 0; read < file.size; read += READ_BYTES) {
    const bytes = new Uint8Array(await readPart(file, read, read + READ_BYTES))
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      try {
        text.decode(bytes.subarray(at, at + STEP_BYTES), { stream: true })
      } catch {
        // A character may have begun in the step before.
        return read + at - MAX_CHARACTER_BYTES
      }
    }
  }
  return undefined
}
