import { useQuery } from '@tanstack/react-query'
import type { CsvPreview } from '../../api/schema.ts'
import { categoriesQuery } from '../../data/categories.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import { Field, Select } from '../../ui/Field.tsx'
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

/** The first rows of a CSV file, each column with its meaning. */
function CsvTable({ preview, choices }: { preview: CsvPreview; choices: Choices }) {
  const { header, rows } = preview
  const memberOf = (column: string) => MEMBERS.find(member => columnOf(member, choices, preview) === column)
  const members = header.map(memberOf)
  return (
    <>
      <p className="muted">
        {rows.length === 0
          ? 'There are no lines below the header.'
          : `The first ${formatCounted(rows.length, 'line')} below the header:`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="import-preview" tabIndex={0} aria-label="First lines of the file">
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
