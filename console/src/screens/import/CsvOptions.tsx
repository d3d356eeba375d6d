import type { CsvPreview } from '../../api/schema.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Select } from '../../ui/Select.tsx'
import type { Choices } from './draft.ts'
import { ENCODING_NAMES, nameOfEncoding } from './encoding-names.ts'

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
