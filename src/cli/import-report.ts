import type { AuditEntry } from '../domain/audit.ts'
import type { BadLineReason, UnknownValue } from '../domain/bad-lines.ts'
import { findMeanings, MAX_IMPORTS_SEARCHED, type RememberedMeanings } from '../domain/describe-columns.ts'
import { formatCount } from '../domain/format-number.ts'
import type { ImportMode, ImportReport } from '../domain/pet-files.ts'
import { shellQuote } from '../domain/shell-quote.ts'
import { isoTime } from '../domain/time.ts'
import { plainLine } from './output/text.ts'
import { withStore } from './with-store.ts'

const MAX_WORDS_SHOWN = 20

/** By reason, if several lines have the same one, and what to do about unknown words. */
export function describeProblems({ badLines, reasons, unknownValues }: ImportReport, remembered?: Remembered): string {
  const isShort = reasons.length >= badLines
  const shown = unknownValues.slice(0, MAX_WORDS_SHOWN)
  const more = unknownValues.length - shown.length
  return [
    ...(isShort ? [] : reasons.map(({ reason, ...lines }) => `${formatLines(lines)}: ${plainLine(reason)}`)),
    ...shown.map(one => formatUnknown(one, remembered)),
    ...(more > 0 ? [`and ${formatCount(more, 'more unknown word')}`] : []),
  ]
    .map(line => `${line}\n`)
    .join('')
}

export type Remembered = RememberedMeanings<AuditEntry> | undefined

/** What words meant in the last file with the same columns. It is only shown, so that the same command always does the same. */
export function findRemembered(mode: ImportMode, columns: readonly string[]): Promise<Remembered> {
  const action = mode === 'add' ? ('pet.import' as const) : ('pet.update' as const)
  return withStore(async store => findMeanings(await store.listAudit({ action, limit: MAX_IMPORTS_SEARCHED }), columns))
}

function formatUnknown({ member, value, couldBeNew, ...lines }: UnknownValue, remembered: Remembered): string {
  const word = `${member}:${value.replaceAll(/\s+/g, ' ')}`
  const meaning = remembered?.meanings.get(word.toLowerCase())
  if (remembered && meaning !== undefined) {
    const option = shellQuote(plainLine(`${word}=${meaning}`))
    const day = isoTime(remembered.entry.at).slice(0, 10)
    return `"${plainLine(value)}", ${formatLines(lines)}: add --value ${option} if it means the same as on ${day}`
  }
  const option = shellQuote(`${member}:${plainLine(value)}=…`)
  const orNew = couldBeNew ? ', or --new-categories' : ''
  return `"${plainLine(value)}", ${formatLines(lines)}: choose what it means with --value ${option}${orNew}`
}

function formatLines({ count, firstLines }: Pick<BadLineReason, 'count' | 'firstLines'>): string {
  const more = count > firstLines.length ? ', …' : ''
  return `${formatCount(count, 'line')} (${firstLines.join(', ')}${more})`
}

export function describeSkipped({ badLines }: ImportReport): string {
  return badLines > 0 ? ` Skipped ${formatCount(badLines, 'invalid line')}.` : ''
}

export function describeCategories({ newCategories }: ImportReport, dryRun: boolean): string {
  if (newCategories.length === 0) return ''
  const listed = newCategories.map(({ id, label }) => `${id} (${plainLine(label)})`).join(', ')
  return ` New categories${dryRun ? ' would be' : ''}: ${listed}.`
}
