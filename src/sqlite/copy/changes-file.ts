import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { giveToOwner } from '../../files/give-to-owner.ts'
import { writeWhole } from '../../files/write-whole.ts'
import { MAX_PAGE_BYTES, MIN_PAGE_BYTES } from '../file-format.ts'

/**
 * A file with pages of a database as of a commit. It has a 16-byte header: a magic number, the page size, and the number of pages of the whole
 * database, to which a restore truncates it. Then each page follows, preceded by its number. All numbers are 32-bit big-endian.
 */
const MARK = Buffer.from('PETCOPY1')
const HEADER_BYTES = 16
const NUMBER_BYTES = 4
const WRITE_BYTES = 1_048_576
const PAGES_AT_ONCE = 256

export interface ChangesHeader {
  pageSize: number
  pageCount: number
}

export interface PageImage {
  page: number
  image: Uint8Array
}

/**
 * Writes such a file, readable only by its owner, and waits until it is on disk.
 * @returns the SHA-256 of the file in hexadecimal, and its size
 */
export function writeChanges(
  file: string,
  { pageSize, pageCount }: ChangesHeader,
  images: Iterable<PageImage>,
): { sha256: string; bytes: number } {
  const header = Buffer.alloc(HEADER_BYTES)
  MARK.copy(header)
  header.writeUInt32BE(pageSize, 8)
  header.writeUInt32BE(pageCount, 12)
  const hash = createHash('sha256')
  const opened = openSync(file, 'wx', 0o600)
  giveToOwner(opened, file)
  let bytes = 0
  const write = (buffer: Buffer) => {
    hash.update(buffer)
    writeWhole(opened, buffer)
    bytes += buffer.length
  }
  try {
    let waiting: Uint8Array[] = [header]
    let waitingBytes = HEADER_BYTES
    for (const { page, image } of images) {
      const number = Buffer.alloc(NUMBER_BYTES)
      number.writeUInt32BE(page)
      waiting.push(number, image)
      waitingBytes += NUMBER_BYTES + image.length
      if (waitingBytes < WRITE_BYTES) continue
      write(Buffer.concat(waiting))
      waiting = []
      waitingBytes = 0
    }
    write(Buffer.concat(waiting))
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
  return { sha256: hash.digest('hex'), bytes }
}

/** The content of a file is not what was written. */
export class DamagedCopy extends Error {}

/**
 * Reads such a file and then verifies its checksum.
 * @param onPage receives each page; its content is valid only during the call
 * @throws DamagedCopy if the file was changed or truncated, possibly after some of its pages
 */
export async function readChanges(
  file: string,
  sha256: string,
  onPage: (image: PageImage, header: ChangesHeader) => void,
): Promise<ChangesHeader> {
  await using handle = await open(file, 'r')
  const hash = createHash('sha256')
  const read = async (buffer: Buffer) => {
    let filled = 0
    // The system may return less than there is. It returns nothing only at the end of the file.
    for (let bytesRead = -1; bytesRead !== 0 && filled < buffer.length; filled += bytesRead) {
      bytesRead = (await handle.read(buffer, filled, buffer.length - filled)).bytesRead
    }
    const content = buffer.subarray(0, filled)
    hash.update(content)
    return content
  }
  const first = await read(Buffer.alloc(HEADER_BYTES))
  if (first.length < HEADER_BYTES || !first.subarray(0, MARK.length).equals(MARK)) throw new DamagedCopy(file)
  const header = { pageSize: first.readUInt32BE(8), pageCount: first.readUInt32BE(12) }
  if (header.pageSize < MIN_PAGE_BYTES || header.pageSize > MAX_PAGE_BYTES) throw new DamagedCopy(file)
  const entryBytes = NUMBER_BYTES + header.pageSize
  const buffer = Buffer.alloc(PAGES_AT_ONCE * entryBytes)
  for (;;) {
    const entries = await read(buffer)
    if (entries.length % entryBytes !== 0) throw new DamagedCopy(file)
    for (let offset = 0; offset < entries.length; offset += entryBytes) {
      const page = entries.readUInt32BE(offset)
      if (page === 0 || page > header.pageCount) throw new DamagedCopy(file)
      onPage({ page, image: entries.subarray(offset + NUMBER_BYTES, offset + entryBytes) }, header)
    }
    if (entries.length === 0) break
  }
  if (hash.digest('hex') !== sha256) throw new DamagedCopy(file)
  return header
}
