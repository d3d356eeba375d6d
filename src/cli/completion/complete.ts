import { spellOut } from '../../domain/outside-text.ts'
import { quoteForBash, readBashWords } from './bash-words.ts'
import { findCandidates } from './find-candidates.ts'
import type { Candidate } from './values.ts'

/** Printed instead of candidates where the shell completes the name of a file. */
const FILES = ':files'
/** A store that does not answer must not hold up a shell. */
const MAX_WAIT_MS = 5_000

/**
 * Answers the scripts that `petstore completion` prints: a line for each candidate, with its description behind a tab. Never fails: if
 * anything is wrong, there is nothing to complete.
 * @param shell bash passes words as they were typed, and inserts candidates as they are
 * @param words those behind the name of the program, up to the cursor
 */
export async function complete([shell, ...words]: readonly string[]): Promise<void> {
  const deadline = setTimeout(() => process.exit(), MAX_WAIT_MS)
  const isBash = shell === 'bash'
  try {
    const read = isBash ? readBashWords(words) : words
    const found = await findCandidates(read)
    const format = isBash ? formatterForBash(words, read) : formatWithDescription
    // A terminal would obey control characters.
    const lines = found === 'files' ? [FILES] : found.filter(({ value }) => spellOut(value) === value).map(format)
    process.stdout.write(lines.map(line => `${line}\n`).join(''))
  } catch {
    // The command that is being typed will report it.
  } finally {
    clearTimeout(deadline)
  }
}

function formatWithDescription({ value, description }: Candidate): string {
  return `${value}\t${spellOut(description)}`
}

/** bash divides `--option=value`, and inserts only the value. */
function formatterForBash(typed: readonly string[], read: readonly string[]): (candidate: Candidate) => string {
  const prefix = /^--[\w-]+=/.exec(read.at(-1) ?? '')?.[0] ?? ''
  return ({ value }) => quoteForBash(value.slice(prefix.length), typed.at(-1) ?? '')
}
