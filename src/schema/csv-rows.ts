/** Begins every CSV file for people: without it, spreadsheets read UTF-8 as another encoding. */
export const BYTE_ORDER_MARK = '\ufeff'

/** Formats one row of a CSV file (RFC 4180), without its line end. */
export function formatCsvRow(values: readonly string[], delimiter = ','): string {
  return values.map(value => (isPlain(value, delimiter) ? value : `"${value.replaceAll('"', '""')}"`)).join(delimiter)
}

/** Blanks at the ends are in quotes because some programs drop them otherwise. */
function isPlain(value: string, delimiter: string): boolean {
  return !(value.includes(delimiter) || /["\r\n]|^\s|\s$/.test(value))
}
