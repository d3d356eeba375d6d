import { useQuery } from '@tanstack/react-query'
import type { CsvPreview } from '../../api/schema.ts'
import { categoriesQuery } from '../../data/categories.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { CsvTable } from './CsvTable.tsx'
import { type Choices, columnOf, type Draft, MEMBERS, type Member } from './draft.ts'
import { MEMBER_NAMES } from './members.ts'

interface ColumnsProps {
  preview: CsvPreview
  choices: Choices
  choose(change: Partial<Choices>): void
  errors: ReadonlyMap<string, string> | undefined
}

/** Assigns columns to members, and sets defaults for animals without a value; shows the first rows of the file. */
export function Columns({ preview, choices, choose, errors }: ColumnsProps) {
  const isAdding = choices.mode === 'add'
  return (
    <section className="import-section panel">
      <h3>Columns</h3>
      <div className="import-fields">
        {MEMBERS.map(member => (
          <Select
            key={member}
            label={MEMBER_NAMES[member]}
            options={optionsFor(member, preview)}
            value={columnOf(member, choices, preview)}
            onChange={event => choose({ columns: { ...choices.columns, [member]: event.target.value } })}
            hint={hintOf(member, choices)}
            error={errors?.get(`${member}Column`)}
          />
        ))}
      </div>
      {isAdding && <Defaults choices={choices} choose={choose} errors={errors} />}
      <CsvTable preview={preview} choices={choices} />
    </section>
  )
}

function Defaults({ choices, choose, errors }: Omit<ColumnsProps, 'preview'>) {
  const { data: categories = [] } = useQuery(categoriesQuery)
  return (
    <div className="import-fields">
      <Field
        label="Category of animals without one"
        inputMode="numeric"
        autoComplete="off"
        list="import-categories"
        value={choices.defaultCategoryId}
        onChange={event => choose({ defaultCategoryId: event.target.value })}
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
        onChange={event => choose({ defaultStatus: event.target.value as Draft['choices']['defaultStatus'] })}
        error={errors?.get('defaultStatus')}
      />
    </div>
  )
}

const DEFAULT_STATUSES = [{ value: '', name: 'Available, unless you choose another' }, ...STATUSES]

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
