import type { CsvPreview } from '../../api/schema.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Select } from '../../ui/Select.tsx'
import type { Choices } from './draft.ts'

export const DELIMITER_NAMES = {
  comma: 'Comma',
  semicolon: 'Semicolon',
  tab: 'Tab',
  pipe: 'Vertical bar',
}

const ENCODING_NAMES = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252 (Western European)',
  'utf-16le': 'UTF-16, little-endian',
  'utf-16be': 'UTF-16, big-endian',
}

interface CsvOptionsProps {
  preview: CsvPreview | undefined
  choices: Choices
  choose(change: Partial<Choices>): void
}

/** How a CSV file is read, where the service has recognised it wrongly. */
export function CsvOptions({ preview, choices, choose }: CsvOptionsProps) {
  return (
    <section className="import-section">
      <h3>How the file is read</h3>
      <div className="import-fields">
        <Select
          label="Columns are separated by"
          options={optionsOf(DELIMITER_NAMES, choices.delimiter ? undefined : preview?.delimiter)}
          value={choices.delimiter}
          // The columns have other names then.
          onChange={event => choose({ delimiter: event.target.value, columns: {} })}
        />
        <Select
          label="Encoding"
          options={optionsOf(ENCODING_NAMES, choices.encoding ? undefined : preview?.encoding)}
          value={choices.encoding}
          onChange={event => choose({ encoding: event.target.value, columns: {} })}
          hint="Choose another one if letters with accents look wrong above."
        />
      </div>
      <Checkbox
        label="The file was exported from here for spreadsheets"
        hint="Takes away the apostrophes that kept names from being read as formulas."
        isChecked={choices.safeForSpreadsheets}
        onCheck={safeForSpreadsheets => choose({ safeForSpreadsheets })}
      />
    </section>
  )
}

function optionsOf<Value extends string>(names: Record<Value, string>, recognised: Value | undefined) {
  const options = Object.entries<string>(names).map(([value, name]) => ({ value, name }))
  return [{ value: '', name: recognised ? `Recognised: ${names[recognised]}` : 'Recognise it' }, ...options]
}
