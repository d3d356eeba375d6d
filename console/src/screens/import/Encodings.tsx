import type { CsvPreview } from '../../api/schema.ts'
import { Radios } from '../../ui/Radios.tsx'
import type { Choices } from './draft.ts'
import { nameOfEncoding } from './encoding-names.ts'

interface EncodingsProps {
  guesses: CsvPreview['guesses']
  choices: Choices
  choose(change: Partial<Choices>): void
}

/** Asks for the encoding of a file whose bytes do not show it, with some of its lines in each likely one. */
export function Encodings({ guesses, choices, choose }: EncodingsProps) {
  const options = guesses.map(({ encoding, lines }) => ({
    value: encoding,
    name: nameOfEncoding(encoding),
    hint: lines.map(line => (
      <bdi key={line} className="import-guess">
        {line}
      </bdi>
    )),
  }))
  return (
    <section className="import-section panel">
      <h3>Text encoding</h3>
      <p>
        The file is not in UTF-8, so its encoding must be chosen. If none of these is right, choose another one under
        “How the file is read”, or save the file again as “CSV UTF-8”.
      </p>
      <Radios
        label="Which lines look right?"
        value={choices.encoding}
        options={options}
        // The names of the columns may change.
        onChoose={encoding => choose({ encoding, columns: {} })}
      />
    </section>
  )
}
