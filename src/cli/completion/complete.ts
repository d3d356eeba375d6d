import { spellOut } from '../../domain/untrusted-text.ts'
import { quoteForBash, readBashWords } from './bash-words.ts'
import { findCandidates } from './find-candidates.ts'
import type { Candidate } from './values.ts'

/** Printed instead of candidates where the shell should complete a file name. */
const FILES = ':files'
/** A store that does not respond must not block the shell. */
const MAX_WAIT_MS = 5_000

/**
 * Called by the scripts that `petstore completion` prints. Prints a line for each candidate, with its description after a tab. Never
 * fails: if anything goes wrong, it prints no candidates.
 * @param shell bash passes words as they were typed, and inserts candidates unchanged
 * @param words those after the name of the program, up to the cursor
 */
export async function complete([shell, ...words]: readonly string[]): Promise<void> {
  const deadline = setTimeout(() => process.exit(), MAX_WAIT_MS)
  const isBash = shell === 'bash'
  try {
    const read = isBash ? readBashWords(words) : words
    const found = await findCandidates(read)
    const format = isBash ? formatterForBash(words, read) : formatWithDescription
    // A terminal would interpret control characters.
    const lines = found === 'files' ? [FILES] : found.filter(({ value }) => spellOut(value) === value).map(format)
    process.stdout.write(lines.map(line => `${line}\n`).join(''))
  } catch {
    // The command itself will report the error when it is run.
  } finally {
    clearTimeout(deadline)
  }
}

function formatWithDescription({ value, description }: Candidate): string {
  return `${value}\t${spellOut(description)}`
}

/** bash splits `--option=value`, and inserts only the value. */
function formatterForBash(typed: readonly string[], read: readonly string[]): (candidate: Candidate) => string {
  const prefix = /^--[\w-]+=/.exec(read.at(-1) ?? '')?.[0] ?? ''
  return ({ value }) => quoteForBash(value.slice(prefix.length), typed.at(-1) ?? '')
}
