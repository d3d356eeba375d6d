/** What separates the columns of a CSV file. */
export const DELIMITER_NAMES = {
  comma: 'Comma',
  semicolon: 'Semicolon',
  tab: 'Tab',
  pipe: 'Vertical bar',
}
