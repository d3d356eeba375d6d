import { crc32 } from 'node:zlib'

/** The CRC-32 of what an animal is, but for its id, which it gets only when it is stored. */
export function petChecksum(name: string, categoryId: bigint, status: string): number {
  return crc32(`${categoryId} ${status} ${name}`)
}
