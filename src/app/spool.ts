import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../domain/errors.ts'

/** A temporary file that buffers output for a slow reader. It is created when the first text is added. */
export class Spool {
  bytes = 0
  #path: string | undefined
  #file: number | undefined

  /** For the reader, which removes the file. */
  get path(): string | undefined {
    return this.#path
  }

  /** @throws UserError when the file cannot be written */
  add(text: string): void {
    if (text === '') return
    try {
      this.#file ??= this.#open()
      const bytes = Buffer.from(text)
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written)
      this.bytes += bytes.length
    } catch (error) {
      throw new UserError(
        'conflict',
        `A temporary file cannot be written (${(error as Error).message}); set TMPDIR to a folder with enough room.`,
      )
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  remove(): void {
    this.close()
    if (this.#path !== undefined) rmSync(this.#path, { force: true })
  }

  #open(): number {
    this.#path = join(tmpdir(), `petstore-${process.pid}-${randomBytes(12).toString('hex')}.tmp`)
    return openSync(this.#path, 'wx', 0o600)
  }
}
