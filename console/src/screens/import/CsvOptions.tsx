import type { CsvPreview } from '../../api/schema.ts'
import { Checkbox, Radios } from '../../ui/Choices.tsx'
import { Select } from '../../ui/Field.tsx'
import type { Choices } from './draft.ts'

/** The encodings that files of animals have most often. The service reads more. */
const ENCODING_NAMES: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16, little-endian',
  'utf-16be': 'UTF-16, big-endian',
  'windows-1252': 'Windows-1252 (Western European)',
  'windows-1250': 'Windows-1250 (Central European)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  'windows-1253': 'Windows-1253 (Greek)',
  'windows-1254': 'Windows-1254 (Turkish)',
  'windows-1255': 'Windows-1255 (Hebrew)',
  'windows-1256': 'Windows-1256 (Arabic)',
  'windows-1257': 'Windows-1257 (Baltic)',
  'windows-874': 'Windows-874 (Thai)',
  'iso-8859-2': 'ISO 8859-2 (Central European)',
  'iso-8859-5': 'ISO 8859-5 (Cyrillic)',
  'iso-8859-7': 'ISO 8859-7 (Greek)',
  'iso-8859-15': 'ISO 8859-15 (Western European)',
  macintosh: 'Macintosh (Western European)',
  'x-mac-cyrillic': 'Macintosh (Cyrillic)',
  'koi8-r': 'KOI8-R (Cyrillic)',
  'koi8-u': 'KOI8-U (Cyrillic)',
  ibm866: 'IBM 866 (Cyrillic)',
  shift_jis: 'Shift_JIS (Japanese)',
  'euc-jp': 'EUC-JP (Japanese)',
  'euc-kr': 'EUC-KR (Korean)',
  gb18030: 'GB 18030, GBK (Chinese)',
  big5: 'Big5 (Chinese)',
}

function nameOfEncoding(encoding: string): string {
  return ENCODING_NAMES[encoding] ?? encoding
}

const DELIMITER_NAMES = {
  comma: 'Comma',
  semicolon: 'Semicolon',
  tab: 'Tab',
  pipe: 'Vertical bar',
}

interface CsvOptionsProps {
  preview: CsvPreview | undefined
  choices: Choices
  choose(change: Partial<Choices>): void
}

/** How to read a CSV file, in case the service detected it wrongly. */
export function CsvOptions({ preview, choices, choose }: CsvOptionsProps) {
  return (
    <details className="import-section panel">
      <summary>
        <h3>How the file is read</h3>
        <span className="muted">{preview && describe(preview)} Change this if the lines above look wrong.</span>
      </summary>
      <div className="import-fields">
        <Select
          label="Columns are separated by"
          options={optionsOf(DELIMITER_NAMES, choices.delimiter ? undefined : preview?.delimiter)}
          value={choices.delimiter}
          // The names of the columns may change.
          onChange={event => choose({ delimiter: event.target.value, columns: {} })}
        />
        <Select
          label="Text encoding"
          options={optionsOf(ENCODING_NAMES, choices.encoding ? undefined : (preview?.encoding ?? undefined))}
          value={choices.encoding}
          onChange={event => choose({ encoding: event.target.value, columns: {} })}
          hint="If letters such as é or ü look wrong, choose another one."
        />
      </div>
      <Checkbox
        label="The file was exported from this console for a spreadsheet"
        hint="Removes the apostrophe in front of names such as '=SUM(A1)."
        isChecked={choices.safeForSpreadsheets}
        onCheck={safeForSpreadsheets => choose({ safeForSpreadsheets })}
      />
    </details>
  )
}

/** Such as "Columns are separated by semicolons, and the text encoding is UTF-8." */
function describe({ delimiter, encoding }: CsvPreview): string {
  const separator = DELIMITER_NAMES[delimiter].toLowerCase()
  const name = encoding === null ? 'not known' : nameOfEncoding(encoding)
  return `Columns are separated by ${separator}s, and the text encoding is ${name}.`
}

function optionsOf<Value extends string>(names: Record<Value, string>, recognised: Value | undefined) {
  const options = Object.entries<string>(names).map(([value, name]) => ({ value, name }))
  return [{ value: '', name: recognised ? `Detected: ${names[recognised]}` : 'Detect automatically' }, ...options]
}

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
