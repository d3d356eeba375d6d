/**
 * Workbooks write a character that XML cannot have as `_xHHHH_`, and so also the start of a text that only looks like that. Imports drop blanks
 * around a text, so the outer ones of a text that has them are written in the same way.
 */
export function encodeCharacters(text: string): string {
  return text.replaceAll(TO_ENCODE, character => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    return `_x${code}_`
  })
}

const TO_ENCODE = /^\s|\s$|_(?=x[0-9A-Fa-f]{4}_)|[\p{Cc}\p{Cs}\ufffe\uffff]/gu

/** The text of a cell, without blanks around it unless they are encoded. A line end at its end is one, too, and always encoded. */
export function decodeCharacters(text: string): string {
  const isControl = (code: number) => code < 0x20
  return decode(decode(text, isControl).trim(), code => !isControl(code))
}

function decode(text: string, isDecoded: (code: number) => boolean): string {
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (whole, digits) => {
    const code = Number.parseInt(digits, 16)
    return isDecoded(code) ? String.fromCharCode(code) : whole
  })
}
