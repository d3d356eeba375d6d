import { writeSync } from 'node:fs'

/** Writes all of a buffer into an open file: the system may accept only a part of it at once. */
export function writeWhole(file: number, buffer: Uint8Array, position?: number): void {
  for (let written = 0; written < buffer.length; ) {
    const at = position === undefined ? null : position + written
    written += writeSync(file, buffer, written, buffer.length - written, at)
  }
}
