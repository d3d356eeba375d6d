/**
 * The name of an encoding, such as `windows-1252`, by any of its labels in the Encoding Standard (encoding.spec.whatwg.org), such as
 * `latin1`; undefined for another text.
 */
export function parseEncoding(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

/** Completes a sentence about an encoding that `parseEncoding` does not know. */
export const ENCODING_RULE = 'the name of an encoding, such as utf-8, windows-1252 or shift_jis'
