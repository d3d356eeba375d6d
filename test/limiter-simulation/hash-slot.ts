const SLOTS = 16_384

/** The slot of a Redis cluster that holds a key. If the key has a hash tag, `{…}`, only the tag matters (Redis cluster specification). */
export function hashSlot(key: string): number {
  const tag = /\{([^}]*)\}/.exec(key)?.[1] || key
  return crc16(Buffer.from(tag)) % SLOTS
}

/** The node that holds a slot, if the slots are divided equally among the nodes, in order. */
export function nodeOfSlot(slot: number, nodes: number): number {
  return Math.floor((slot * nodes) / SLOTS)
}

/** CRC-16/XMODEM, bit by bit. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return crc
}
