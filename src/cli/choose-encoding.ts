import { parseEncoding } from '../domain/encoding.ts'
import { conflict, type UserError } from '../domain/errors.ts'
import type { EncodingGuess } from '../domain/pet-files.ts'
import { askFor, canAsk } from './confirm.ts'
import { plainLine } from './output/text.ts'

/**
 * Shows the likely encodings of a file, and asks which one is right. Asks only at a terminal, and not with `--json`.
 * @throws UserError that names --encoding when it may not ask, or gets no answer
 */
export async function chooseEncoding(
  guesses: readonly EncodingGuess[],
  name: string,
  json: true | undefined,
): Promise<string> {
  process.stderr.write(describe(guesses, name))
  if (json || !canAsk()) throw notImported(`the encoding of ${name} must be given`, guesses)
  const numbers = guesses.length > 1 ? `1-${guesses.length}` : '1'
  const answer = (await askFor(`Which encoding is right? [${numbers}, or a name; Enter for none] `)).trim()
  if (answer === '') throw notImported('no encoding was chosen', guesses)
  const encoding = guesses[Number(answer) - 1]?.encoding ?? parseEncoding(answer)
  if (encoding !== undefined) return encoding
  throw notImported(`"${answer}" is not an encoding`, guesses)
}

function notImported(reason: string, guesses: readonly EncodingGuess[]): UserError {
  const example = guesses[0]?.encoding ?? 'windows-1252'
  return conflict(
    `Nothing was changed: ${reason}. Add --encoding with the one in which the lines look right, such as --encoding ${example}; if they look right in none, save the file as CSV UTF-8.`,
  )
}

/** With each encoding on a line of its own, followed by the lines read in it. */
function describe(guesses: readonly EncodingGuess[], name: string): string {
  const likely = guesses.map(({ encoding, lines }, at) =>
    [`  ${at + 1}  ${encoding}\n`, ...lines.map(line => `       ${plainLine(line)}\n`)].join(''),
  )
  const heading = likely.length > 0 ? 'It may be in one of these encodings:' : 'No encoding seems likely.'
  return `${plainLine(name)} is not in UTF-8, and its bytes do not show its encoding. ${heading}\n${likely.join('')}`
}
