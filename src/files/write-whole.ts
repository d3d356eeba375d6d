import { writeSync } from 'node:fs'

/** Writes a whole buffer to an open file: a single write may accept only part of it. */
export function writeWhole(file: number, buffer: Uint8Array, position?: number): void {
  for (let written = 0; written < buffer.length; ) {
    const at = position === undefined ? null : position + written
    written += writeSync(file, buffer, written, buffer.length - written, at)
  }
}
