import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/call.ts'
import type { CsvPreview } from '../../api/schema.ts'
import { categoriesQuery } from '../../data/categories.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { optionsOf } from '../../lib/options.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import { MEMBER_NAMES } from '../../parts/words/members.ts'
import { DELIMITER_NAMES } from '../../parts/words/words.ts'
import { Checkbox, Radios } from '../../ui/Choices.tsx'
import { Field, Select } from '../../ui/Field.tsx'
import { type Choices, choose, columnOf, type Draft, MEMBERS, type Member } from './draft.ts'

interface PreviewProps {
  draft: Draft
  preview: CsvPreview
}

/** How to read a CSV file, in case the service detected it wrongly. */
export function CsvOptions({ draft, preview }: { draft: Draft; preview: CsvPreview | undefined }) {
  const { choices } = draft
  return (
    <details className="import-options panel">
      <summary>
        <h3>How the file is read</h3>
        <span className="muted">
          {preview && describe(preview, choices.sheet)} Change this if the lines above look wrong.
        </span>
      </summary>
      {preview?.delimiter === null ? (
        <div className="field-grid">
          <Select
            label="Sheet"
            options={preview.sheets.map(name => ({ value: name, name }))}
            value={choices.sheet || preview.sheets[0]}
            onChoose={sheet => choose(draft, { sheet })}
          />
        </div>
      ) : (
        <div className="field-grid">
          <Select
            label="Columns are separated by"
            options={detectableOf(DELIMITER_NAMES, choices.delimiter ? undefined : preview?.delimiter)}
            value={choices.delimiter}
            onChoose={delimiter => choose(draft, { delimiter })}
          />
          <Select
            label="Text encoding"
            options={detectableOf(ENCODING_NAMES, choices.encoding ? undefined : preview?.encoding)}
            value={choices.encoding}
            onChoose={encoding => choose(draft, { encoding })}
            hint="If letters such as é or ü look wrong, choose another one."
          />
        </div>
      )}
      <Checkbox
        label="The file was exported from this console for a spreadsheet"
        hint="Removes the apostrophe in front of names such as '=SUM(A1)."
        isChecked={choices.safeForSpreadsheets}
        onCheck={safeForSpreadsheets => choose(draft, { safeForSpreadsheets })}
      />
    </details>
  )
}

/** Such as "Columns are separated by semicolons, and the text encoding is UTF-8." */
function describe({ delimiter, encoding, sheets }: CsvPreview, sheet: string): string {
  if (delimiter === null)
    return sheets.length === 1
      ? 'The workbook has one sheet.'
      : `This is “${sheet || sheets[0]}”, one of ${sheets.length} sheets.`
  const separator = DELIMITER_NAMES[delimiter].toLowerCase()
  const name = encoding === null ? 'not known' : nameOfEncoding(encoding)
  return `Columns are separated by ${separator}s, and the text encoding is ${name}.`
}

function detectableOf(names: Readonly<Record<string, string>>, recognised: string | null | undefined) {
  return optionsOf({ '': recognised ? `Detected: ${names[recognised]}` : 'Detect automatically', ...names })
}

/** Asks for the encoding of a file whose bytes do not show it, with some of its lines in each likely one. */
export function Encodings({ draft, preview }: PreviewProps) {
  const options = preview.guesses.map(({ encoding, lines }) => ({
    value: encoding,
    name: nameOfEncoding(encoding),
    hint: lines.map(line => (
      <bdi key={line} className="import-guess mono">
        {line}
      </bdi>
    )),
  }))
  return (
    <section className="panel stack">
      <h3>Text encoding</h3>
      <p>
        The file is not in UTF-8, so its encoding must be chosen. If none of these is right, choose another one under
        “How the file is read”, or save the file again as “CSV UTF-8”.
      </p>
      <Radios
        label="Which lines look right?"
        value={draft.choices.encoding}
        options={options}
        onChoose={encoding => choose(draft, { encoding })}
      />
    </section>
  )
}

/** Assigns columns to members, and sets defaults for animals without a value; shows the first rows of the file. */
export function Columns({ draft, preview }: PreviewProps) {
  const { choices } = draft
  const errors = errorsOf(draft)
  return (
    <section className="panel stack">
      <h3>Columns</h3>
      <div className="field-grid">
        {MEMBERS.map(member => (
          <Select
            key={member}
            label={MEMBER_NAMES[member]}
            options={optionsFor(member, preview)}
            value={columnOf(member, choices, preview)}
            onChoose={column => choose(draft, { columns: { ...choices.columns, [member]: column } })}
            hint={hintOf(member, choices)}
            error={errors?.get(`${member}Column`)}
          />
        ))}
      </div>
      {choices.mode === 'add' && <Defaults draft={draft} />}
      <CsvTable draft={draft} preview={preview} />
    </section>
  )
}

function errorsOf({ failure }: Draft): ReadonlyMap<string, string> | undefined {
  return failure instanceof ApiError ? failure.members : undefined
}

function Defaults({ draft }: { draft: Draft }) {
  const { choices } = draft
  const errors = errorsOf(draft)
  const { data: categories = [] } = useQuery(categoriesQuery)
  return (
    <div className="field-grid">
      <Field
        label="Name of animals without one"
        value={choices.defaultName}
        onChange={event => choose(draft, { defaultName: event.target.value })}
        error={errors?.get('defaultName')}
        hint="Such as Unnamed. Leave it empty if every line has one."
      />
      <Field
        label="Category of animals without one"
        inputMode="numeric"
        list="import-categories"
        value={choices.defaultCategoryId}
        onChange={event => choose(draft, { defaultCategoryId: event.target.value })}
        error={errors?.get('defaultCategoryId')}
        hint="The number of a category. Leave it empty if every line has one."
      />
      <datalist id="import-categories">
        {categories.map(({ id, label }) => (
          <option key={String(id)} value={String(id)} label={label ?? undefined} />
        ))}
      </datalist>
      <Select
        label="Status of animals without one"
        options={DEFAULT_STATUSES}
        value={choices.defaultStatus}
        onChoose={status => choose(draft, { defaultStatus: status as Choices['defaultStatus'] })}
        error={errors?.get('defaultStatus')}
      />
    </div>
  )
}

const DEFAULT_STATUSES = [{ value: '', name: 'Available (default)' }, ...STATUSES]

/** A column with exactly the name of a member is always used for it. */
function optionsFor(member: Member, { header }: CsvPreview) {
  const columns = [...new Set(header)].filter(name => name !== '').map(name => ({ value: name, name }))
  return header.includes(member) ? columns : [{ value: '', name: 'Not in the file' }, ...columns]
}

function hintOf(member: Member, { mode }: Choices): string | undefined {
  if (member !== 'id') return undefined
  return mode === 'add'
    ? 'Only needed to keep numbers from another system. Other animals get the next free numbers.'
    : 'Identifies the animal to correct.'
}

/** The first rows of a CSV file, each column with its meaning. */
function CsvTable({ draft: { choices }, preview }: PreviewProps) {
  const { header, rows } = preview
  // A column without a name stands for no member, like a member that is not in the file.
  const memberOf = (column: string) =>
    column === '' ? undefined : MEMBERS.find(member => columnOf(member, choices, preview) === column)
  const members = header.map(memberOf)
  return (
    <>
      <p className="muted">
        {rows.length === 0
          ? 'There are no lines below the header.'
          : `The first ${formatCounted(rows.length, 'line')} below the header:`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="import-preview box" tabIndex={0} aria-label="First lines of the file">
        <table>
          <thead>
            <tr>
              {header.map((name, at) => {
                const member = members[at]
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
                  <th key={at} scope="col" data-used={member !== undefined}>
                    <bdi>{name}</bdi>
                    <span className="import-member">{member ? MEMBER_NAMES[member] : 'Not imported'}</span>
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody>
            {rows.map((values, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
              <tr key={row}>
                {values.map((value, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
                  <td key={at} data-used={members[at] !== undefined}>
                    <bdi>{value}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

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
