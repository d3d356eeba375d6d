/** Files that are often sent in place of a file of animals: what they are, and how to get a file that can be imported. */

/** As many first bytes of a file show what it is. */
export const FOREIGN_FILE_BYTES = 1_024

const SAVE_AS_TABLE = 'open it in a spreadsheet program, save it as .xlsx or as "CSV UTF-8", and import that file.'
const ONE_OBJECT_A_LINE = 'an import needs NDJSON, which has one JSON object on each line, or CSV.'

const WORKBOOK = `a workbook or another ZIP archive, not a CSV file; ${SAVE_AS_TABLE}`
const OLD_WORKBOOK = `an old workbook (.xls), or one with a password, not a CSV file; ${SAVE_AS_TABLE}`
const OTHER_WORKBOOK = `a workbook of another kind than .xlsx; ${SAVE_AS_TABLE}`
const NO_WORKBOOK = `not a workbook (.xlsx); ${SAVE_AS_TABLE}`
const OTHER_SHEET = `a table of a spreadsheet (SYLK or DIF), not a CSV file; ${SAVE_AS_TABLE}`
const COMPRESSED = 'compressed; unpack it, and import the file that is inside.'
const DOCUMENT = `a document (PDF or RTF), not a table; copy its table to a spreadsheet program, save it as "CSV UTF-8", and import that file.`
const PICTURE = 'a picture; an import needs a CSV or NDJSON file.'
const WEB_PAGE = `a web page (HTML), not a CSV file; ${SAVE_AS_TABLE}`
const XML = `an XML file; an import needs CSV or NDJSON. If a spreadsheet program opens it, save the sheet as "CSV UTF-8", and import that file.`
const JSON_ARRAY = `a JSON array; ${ONE_OBJECT_A_LINE}`
const JSON_OBJECT = `a JSON object over several lines; ${ONE_OBJECT_A_LINE}`
const JSON_LINES = 'JSON, not CSV; if it has one JSON object on each line, import it as NDJSON.'
const JSON_FILE = `a JSON file; ${ONE_OBJECT_A_LINE} If each line is one JSON object, rename it to .ndjson.`

/** By their first bytes, each written as the character of the same number. */
const SIGNATURES: readonly [signatures: readonly string[], is: string][] = [
  [['PK\x03\x04', 'PK\x05\x06'], WORKBOOK],
  [['\xd0\xcf\x11\xe0'], OLD_WORKBOOK],
  [['\x1f\x8b', 'BZh9', '\xfd7zXZ', '7z\xbc\xaf', 'Rar!', '\x28\xb5\x2f\xfd'], COMPRESSED],
  [['%PDF-', '{\\rtf'], DOCUMENT],
  [['\x89PNG', '\xff\xd8\xff', 'GIF8', 'RIFF', 'II*\0', 'MM\0*'], PICTURE],
]

/** By their first characters. */
const BEGINNINGS: readonly [RegExp, string][] = [
  [
    /^(?:<(?:!doctype html|html|head|body|table|meta|style|div)\b|<(?:\?xml|!--)[\s\S]*<html\b|MIME-Version:)/i,
    WEB_PAGE,
  ],
  [/^(?:<\?xml|<!|<\w[^<>]*>\s*<)/i, XML],
  [/^\[\s*(?:[[{\]"]|$)/, JSON_ARRAY],
  [/^.{1,4}ftyp(?:hei|mif|avif)/s, PICTURE],
  [/^(?:ID;P(?:WXL|CALC|SCALC)|TABLE\s+0,1\s)/, OTHER_SHEET],
]

/**
 * Says what a file is by its first bytes, as the rest of a sentence, if it cannot be imported in this format.
 * @param start at least FOREIGN_FILE_BYTES of it, or all
 */
export function recogniseForeignFile(start: Uint8Array, format: 'ndjson' | 'csv' | 'xlsx'): string | undefined {
  const bytes = String.fromCharCode(...start.subarray(0, FOREIGN_FILE_BYTES))
  // Without byte order marks, and the NUL bytes that UTF-16 adds to each of these characters.
  const text = bytes
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart()
  const [, is] =
    SIGNATURES.find(([signatures]) => signatures.some(one => bytes.startsWith(one))) ??
    BEGINNINGS.find(([pattern]) => pattern.test(text)) ??
    []
  if (format === 'xlsx') return is === WORKBOOK ? undefined : (is ?? NO_WORKBOOK)
  if (is !== undefined) return is
  if (/^\{\s*(?:[\r\n]|"[^\r\n]*[[{,]\s*[\r\n])/.test(text)) return JSON_OBJECT
  return format === 'csv' && /^\{\s*["}]/.test(text) ? JSON_LINES : undefined
}

const NAMES: readonly [RegExp, string][] = [
  [/\.(?:xlsb?|ods|fods|numbers)$/i, OTHER_WORKBOOK],
  [/\.json$/i, JSON_FILE],
  [/\.(?:gz|zip|bz2|xz|zst|7z|rar)$/i, COMPRESSED],
  [/\.(?:pdf|rtf|docx?|odt)$/i, DOCUMENT],
  [/\.(?:png|jpe?g|gif|webp|tiff?|heic)$/i, PICTURE],
  [/\.(?:html?|mht)$/i, WEB_PAGE],
  [/\.xml$/i, XML],
]

/** The same by the name of a file. */
export function recogniseForeignName(name: string): string | undefined {
  return NAMES.find(([pattern]) => pattern.test(name))?.[1]
}
