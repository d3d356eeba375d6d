import { fstatSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

const LINE_FEED = 0x0a

/** What `LogLines` needs of the stream that it writes to. */
export type LogOutput = Pick<Writable, 'writable' | 'writableLength'> & {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): unknown
}

/** The service keeps serving calls even if its log cannot be written, such as to a terminal that has gone, and neither can the report of that. */
export function openLogOutput(stream: NodeJS.WriteStream & { readonly fd: number }): LogOutput {
  for (const output of [stream, process.stderr]) output.on('error', () => {})
  return fstatSync(stream.fd).isFile() ? logFile(stream.fd) : stream
}

/** Ends the process once nothing has read its log for this long: what is unread would keep it alive forever. */
export function exitOnceUnread(stream: NodeJS.WriteStream, milliseconds = 1_000): void {
  // A file has no readers, and no such method.
  stream.setTimeout?.(milliseconds, () => process.exit())
}

/** After one failed write, such as to a full disk, Node's own stream of a file would stay closed. */
function logFile(fd: number): LogOutput {
  /** The last line was cut off by a failed write. */
  let isCutOff = false
  return {
    writable: true,
    writableLength: 0,
    /** Calls `done` later, as streams do. */
    write(bytes, done) {
      try {
        if (isCutOff) writeSync(fd, '\n')
        for (let written = 0; written < bytes.length; ) {
          written += writeSync(fd, bytes, written)
          isCutOff = bytes[written - 1] !== LINE_FEED
        }
        process.nextTick(done)
      } catch (error) {
        process.nextTick(done, error)
      }
    },
  }
}
