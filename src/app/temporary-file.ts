import { close, openSync, read, rmSync, write, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { UserError } from '../domain/errors.ts'
import { reasonOf } from '../domain/system-error.ts'

const [readAsync, writeAsync, closeAsync] = [promisify(read), promisify(write), promisify(close)]

/** A temporary file without a name: it is gone once it is closed, however the process ends. Its descriptor can be used in other threads. */
export class TemporaryFile implements AsyncDisposable {
  readonly descriptor: number

  /** @throws UserError */
  constructor(folder: string) {
    const path = join(folder, `petstore-${process.pid}-${crypto.randomUUID()}.tmp`)
    try {
      this.descriptor = openSync(path, 'wx+', 0o600)
    } catch (error) {
      throw unwritable(error)
    }
    rmSync(path, { force: true })
  }

  /** @throws UserError */
  async write(bytes: Uint8Array, position: number): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        const left = bytes.length - done
        done += (await writeAsync(this.descriptor, bytes, done, left, position + done)).bytesWritten
      }
    } catch (error) {
      throw unwritable(error)
    }
  }

  read(length: number, position: number): Promise<Buffer> {
    return readAt(this.descriptor, length, position)
  }

  /** No thread may use the descriptor any longer: the system gives it to the next file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await closeAsync(this.descriptor)
  }
}

export const READ_BYTES = 65_536

/** The file from a position. Not a stream of Node, which would close the file. Throws the reason of the signal. */
export async function* chunksOf(descriptor: number, signal: AbortSignal, from = 0): AsyncGenerator<Buffer, void> {
  for (let position = from; ; ) {
    const chunk = await readAt(descriptor, READ_BYTES, position)
    signal.throwIfAborted()
    if (chunk.length === 0) return
    position += chunk.length
    yield chunk
  }
}

/** Returns at most this number of bytes; none at the end of the file. */
async function readAt(descriptor: number, length: number, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await readAsync(descriptor, Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/**
 * Appends to a temporary file in a thread that may block.
 * @throws UserError
 */
export function appendTo(descriptor: number, bytes: Uint8Array): void {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
  } catch (error) {
    throw unwritable(error)
  }
}

function unwritable(error: unknown): UserError {
  const kind = (error as NodeJS.ErrnoException).code === 'ENOSPC' ? 'full' : 'conflict'
  const remedy = 'set TMPDIR to a folder with enough room'
  return new UserError(kind, `A temporary file cannot be written (${reasonOf(error)}); ${remedy}.`)
}
