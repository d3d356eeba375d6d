import { useState } from 'react'
import { urlOf } from '../api/call.ts'
import type { AnimalFilter } from '../data/animals.ts'
import { optionsOf } from '../lib/options.ts'
import { Checkbox, Radios } from '../ui/Choices.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Select } from '../ui/Field.tsx'
import { sentence } from '../ui/sentence.ts'
import { DELIMITER_NAMES } from './words/words.ts'

export type ExportFilter = Omit<AnimalFilter, 'id'>

const FORMATS = [
  { value: 'xlsx', name: 'Workbook (.xlsx)', hint: 'For a spreadsheet. It opens with a double click.' },
  { value: 'csv', name: 'CSV', hint: 'For a spreadsheet or another program.' },
  { value: 'ndjson', name: 'NDJSON', hint: 'For another system: one JSON object in each line.' },
] as const

const DELIMITERS = optionsOf(DELIMITER_NAMES)

/** Where decimals have a comma, spreadsheets expect semicolons between columns. */
const USUAL_DELIMITER = (0.5).toLocaleString().includes('.') ? 'comma' : 'semicolon'

/** Saves the animals of a list as a file. It is a plain link: the browser downloads any number of animals without a script. */
export function ExportDialog({ onClose, filter }: { onClose(): void; filter: ExportFilter }) {
  const [format, setFormat] = useState<(typeof FORMATS)[number]['value']>('xlsx')
  const [delimiter, setDelimiter] = useState(USUAL_DELIMITER)
  const [isSafe, setIsSafe] = useState(true)
  const [hasExternalIds, setHasExternalIds] = useState(false)
  const csv = format === 'csv' ? { delimiter, categoryLabels: true, safeForSpreadsheets: isSafe || undefined } : {}
  const externalIds = (format !== 'ndjson' && hasExternalIds) || undefined
  return (
    <Dialog
      onClose={onClose}
      title="Export animals"
      description={describe(filter)}
      cancel="Cancel"
      actions={
        <a
          className="button button-primary"
          href={urlOf('/pets/export', { ...filter, format, ...csv, externalIds }).href}
          download
          onClick={onClose}
        >
          Download
        </a>
      }
    >
      <Radios label="Format" value={format} options={FORMATS} onChoose={chosen => setFormat(chosen)} />
      {format !== 'ndjson' && (
        <Checkbox
          label="Add the ids that animals have in their sources"
          hint="In two more columns. An import skips them."
          isChecked={hasExternalIds}
          onCheck={setHasExternalIds}
        />
      )}
      {format === 'csv' && (
        <>
          <Select label="Columns are separated by" options={DELIMITERS} value={delimiter} onChoose={setDelimiter} />
          <Checkbox
            label="Keep names from being read as formulas"
            hint="Names such as =SUM(A1) get an apostrophe in front. An import can remove it again."
            isChecked={isSafe}
            onCheck={setIsSafe}
          />
        </>
      )}
    </Dialog>
  )
}

function describe({ name, status, categoryId }: ExportFilter) {
  if (!name && !status && !categoryId) return 'All animals, as they are now.'
  return (
    <>
      Only the animals in the list:
      {name && sentence` name contains “${name}”`}
      {status && `${name ? ',' : ''} status ${status.replaceAll(',', ' or ')}`}
      {categoryId && `${name || status ? ',' : ''} category ${categoryId}`}.
    </>
  )
}
