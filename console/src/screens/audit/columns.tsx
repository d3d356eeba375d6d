import type { AuditEntry } from '../../api/schema.ts'
import { actionName, subjectName } from '../../lib/audit-words.ts'
import type { Column } from '../../parts/DataTable.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Badge } from '../../ui/Badge.tsx'

export const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: 'When', width: '9rem', cell: ({ at }) => <TimeText at={at} /> },
  { name: 'Action', cell: ({ action }) => <Action action={action} /> },
  { name: 'Done to', isSecondary: true, cell: entry => subjectName(entry) ?? <span className="muted">–</span> },
  { name: 'Operator', cell: ({ actor }) => <bdi>{actor}</bdi> },
  { name: 'From', width: '11rem', isSecondary: true, cell: ({ origin }) => origin },
]

function Action({ action }: { action: string }) {
  if (action === 'sign-in.refused') return <Badge tone="danger">{actionName(action)}</Badge>
  return <strong>{actionName(action)}</strong>
}
