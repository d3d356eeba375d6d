import { conflict } from '../../domain/errors.ts'
import { systemReason } from '../../domain/system-error.ts'
import { escapeUnseen } from '../../domain/untrusted-text.ts'
import { formatJson } from '../../schema/exact-json.ts'
import { type Columns, formatList } from './table.ts'
import { formatError, plain } from './text.ts'

/** The option of every command but `serve`, `completion` and `help`. */
export interface JsonOption {
  json?: true | undefined
}

/** Prints the result of a command: exactly one JSON document with `--json`, otherwise lines for a person. */
export function print(json: true | undefined, document: unknown, ...lines: string[]): void {
  if (json) printJson(document)
  else printText(...lines)
}

export interface List<Item> {
  toJson(item: Item): unknown
  columns: Columns<Item>
  whenEmpty: string
  /** What a person can do with such an item. */
  hintAt?: (first: Item) => string
}

/** Prints a list: a JSON array with `--json`, otherwise a table. @param more how to get the rest of a list that is incomplete */
export function printList<Item>(
  json: true | undefined,
  items: readonly Item[],
  { toJson, columns, whenEmpty, hintAt }: List<Item>,
  more?: string,
): void {
  const [first] = items
  const hints = [more, first && hintAt?.(first)].filter(hint => hint !== undefined)
  if (json) printJson(items.map(item => toJson(item)))
  else if (!first) printText(whenEmpty)
  else printText(formatList(items, columns), ...(hints.length > 0 ? ['', ...hints] : []))
}

interface NewSecret {
  /** Such as "Key 3". */
  name: string
  secret: string
  document: unknown
  lines: string[]
}

/**
 * Prints a new secret, which is never shown again.
 * @throws UserError with the advice to revoke it, if it could not be printed
 */
export async function printSecret(json: true | undefined, { name, secret, document, lines }: NewSecret): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const text = json
    ? formatDocument(document)
    : formatText(secret, '', ...lines, 'It is shown only once: store it now.')
  process.stdout.write(`${text}\n`, error => {
    if (error) reject(conflict(`${name} was created but could not be shown; revoke it.`))
    else resolve()
  })
  return promise
}

export function printJson(document: unknown): void {
  process.stdout.write(`${formatDocument(document)}\n`)
}

export function printText(...lines: string[]): void {
  process.stdout.write(`${formatText(...lines)}\n`)
}

/**
 * Reports once that standard output cannot be written, and fails the command. A reader that closes a pipe early is not a failure,
 * except for `printSecret`.
 */
export function watchOutput(): void {
  let isReported = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isReported) return
    isReported = true
    process.exitCode = 1
    process.stderr.write(formatError(`Standard output cannot be written (${systemReason(error)}).`))
  })
}

/** Ignores failed writes to standard output, which `watchOutput` reports, and rethrows other errors. */
export function ignoreOutputErrors(error: NodeJS.ErrnoException): void {
  if (error.syscall !== 'write') throw error
}

/** Escapes characters that would control a terminal. To a JSON parser, the document stays the same. */
function formatDocument(document: unknown): string {
  return escapeUnseen(formatJson(document, 2))
}

function formatText(...lines: string[]): string {
  return lines.map(plain).join('\n')
}
