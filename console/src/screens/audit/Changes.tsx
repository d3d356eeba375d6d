import type { AuditEntry } from '../../api/schema.ts'
import { memberName } from '../../lib/audit-words.ts'
import { Value } from './Value.tsx'

/** The changes that the action made: each value before and after it. */
export function Changes({ before, after }: Pick<AuditEntry, 'before' | 'after'>) {
  const members = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (members.length === 0) return null
  return (
    <section className="entry-part">
      <h3>{titleOf(before, after)}</h3>
      <table className="values">
        <thead>
          <tr>
            <th scope="col">Value</th>
            {before && <th scope="col">Before</th>}
            {after && <th scope="col">After</th>}
          </tr>
        </thead>
        <tbody>
          {members.map(member => (
            <tr key={member} data-changed={before !== null && after !== null && before[member] !== after[member]}>
              <th scope="row">{memberName(member)}</th>
              {before && (
                <td>
                  <del>
                    <Value value={before[member]} />
                  </del>
                </td>
              )}
              {after && (
                <td>
                  <ins>
                    <Value value={after[member]} />
                  </ins>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function titleOf(before: AuditEntry['before'], after: AuditEntry['after']): string {
  if (!before) return 'What was created'
  return after ? 'What was changed' : 'What was removed'
}
