/**
 * Decodes the start of a text file in UTF-8 or UTF-16, with or without a byte order mark. Bytes that are not valid UTF-8 are replaced: they may be in
 * another encoding. Undefined for anything else, such as a picture or a program, which has NUL characters in all of them.
 */
export function readText(start: ArrayBuffer): string | undefined {
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be']) {
    try {
      const text = new TextDecoder(encoding, { fatal: encoding !== 'utf-8' }).decode(start, { stream: true })
      if (!text.includes('\0')) return text
    } catch {
      // Not in this encoding.
    }
  }
  return undefined
}
