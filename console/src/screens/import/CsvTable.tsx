import type { CsvPreview } from '../../api/schema.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { type Choices, columnOf, MEMBERS } from './draft.ts'
import { MEMBER_NAMES } from './members.ts'

/** The first rows of a CSV file, each column with its meaning. */
export function CsvTable({ preview, choices }: { preview: CsvPreview; choices: Choices }) {
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
