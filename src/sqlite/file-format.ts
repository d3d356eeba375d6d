/** Sizes in SQLite's file formats (sqlite.org/fileformat2.html, 1.3.2 and 4.1). */

export const MAX_PAGE_BYTES = 65_536

export const LOG_HEADER_BYTES = 32
/** In the log, each frame header is followed by a page. */
const FRAME_HEADER_BYTES = 24

/** The size of a log with this many frames, in bytes. */
export function logBytes({ frames, pageSize }: { frames: number; pageSize: number }): number {
  return LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageSize)
}
