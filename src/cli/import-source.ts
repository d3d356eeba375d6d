import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { chunksOf, TemporaryFile } from '../app/temporary-file.ts'
import { conflict, notFound } from '../domain/errors.ts'
import { untilAborted } from '../domain/or-aborted.ts'
import { findFile } from '../files/find-file.ts'
import { STANDARD_STREAM } from '../pet-files/format.ts'

/** What an import reads: a file or a pipe. */
export interface ImportSource {
  name: string
  /** Undefined if unknown. */
  bytes: number | undefined
  /** Whether `open` may be called only once. */
  isPipe: boolean
  /** Reads it from its start or, unless it is a pipe, from another position. */
  open(signal: AbortSignal, from?: number): AsyncIterable<Buffer>
}

/** @throws UserError when there is no such file */
export function findSource(file: string): ImportSource {
  const sourceOf = (name: string, open: (start?: number) => Readable, bytes?: number) => ({
    ...{ name, bytes, isPipe: bytes === undefined },
    // Nothing may ever arrive from a named pipe.
    open: (signal: AbortSignal, from?: number) => untilAborted<Buffer>(open(from), signal),
  })
  if (file === STANDARD_STREAM) return sourceOf('standard input', () => process.stdin)
  const found = findFile(file)
  if (!found) throw notFound(`There is no file ${file}.`)
  if (found.isDirectory()) throw conflict(`${file} is a folder; name a file.`)
  return sourceOf(
    basename(file),
    // A pipe cannot be read from a position, not even from 0.
    start => createReadStream(file, start === undefined ? {} : { start }),
    found.isFile() ? found.size : undefined,
  )
}

/**
 * Copies a pipe to a temporary file, which can be read several times.
 * @throws UserError when the file cannot be written
 */
export async function keepPipe(
  pipe: ImportSource,
  folder: string,
  signal: AbortSignal,
): Promise<ImportSource & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const file = opened.use(new TemporaryFile(folder))
  let bytes = 0
  for await (const chunk of pipe.open(signal)) {
    await file.write(chunk, bytes)
    bytes += chunk.length
  }
  const kept = opened.move()
  const open = (signal: AbortSignal, from?: number) => chunksOf(file.descriptor, signal, from)
  return { name: pipe.name, bytes, isPipe: false, open, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
