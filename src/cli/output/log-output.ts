import { fstatSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

/** What `LogLines` needs of the stream that it writes to. */
export type LogOutput = Pick<Writable, 'writable' | 'writableLength'> & {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): unknown
}

/** The service keeps serving calls even if its log cannot be written. */
export function openLogOutput(stream: NodeJS.WriteStream & { readonly fd: number }): LogOutput {
  stream.on('error', () => {})
  return fstatSync(stream.fd).isFile() ? new LogFile(stream.fd) : stream
}

/** After one failed write, such as to a full disk, Node's own stream of a file would stay closed. */
class LogFile implements LogOutput {
  readonly writable = true
  readonly writableLength = 0
  readonly #fd: number

  constructor(fd: number) {
    this.#fd = fd
  }

  /** Calls `done` later, as streams do. */
  write(bytes: Uint8Array, done: (error?: Error) => void): void {
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#fd, bytes, written)
      process.nextTick(done)
    } catch (error) {
      process.nextTick(done, error)
    }
  }
}
