/** The sizes within the files of SQLite (sqlite.org/fileformat2.html, 1.3.2 and 4.1). */

export const [MIN_PAGE_BYTES, MAX_PAGE_BYTES] = [512, 65_536]

export const LOG_HEADER_BYTES = 32
/** Each frame of the log has a page after it. */
export const FRAME_HEADER_BYTES = 24

/** The bytes of a log that has so many frames. */
export function logBytes({ frames, pageSize }: { frames: number; pageSize: number }): number {
  return LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageSize)
}
