import type { AuditEntry } from '../../api/schema.ts'
import { memberName } from '../../lib/audit-words.ts'
import { Value } from './Value.tsx'

/** Further facts about an action. */
export function Details({ details }: Pick<AuditEntry, 'details'>) {
  const members = Object.entries(details)
  if (members.length === 0) return null
  return (
    <section className="entry-part">
      <h3>Details</h3>
      <table className="values">
        <tbody>
          {members.map(([member, value]) => (
            <tr key={member}>
              <th scope="row">{memberName(member)}</th>
              <td>
                <Value value={value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
