import { UserError } from '../domain/errors.ts'
import type { EncodingGuess } from '../domain/pet-files.ts'

/** The encoding of a file must be given, because its bytes do not show it. */
export class UnknownEncoding extends UserError {
  readonly guesses: readonly EncodingGuess[]

  constructor(guesses: readonly EncodingGuess[]) {
    const likely = guesses.map(({ encoding, lines }) => `${encoding} (${lines.map(line => `"${line}"`).join(', ')})`)
    super(
      'unknown_encoding',
      'The file is not in UTF-8, and its bytes do not show its encoding. ' +
        `Give the encoding in which its lines look right (--encoding, or encoding in the admin API): ${likely.join('; ') || 'none seems likely'}. ` +
        'If none does, save the file as CSV UTF-8.',
    )
    this.guesses = guesses
  }
}
