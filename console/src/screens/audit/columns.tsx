import type { AuditEntry } from '../../api/schema.ts'
import { actionName } from '../../lib/audit-words.ts'
import { Actor } from '../../parts/audit/Actor.tsx'
import type { Column } from '../../parts/DataTable.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { SubjectLink } from './SubjectLink.tsx'

export const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: 'When', width: '9rem', onPhone: 'end', cell: ({ at }) => <TimeText at={at} /> },
  { name: 'Action', onPhone: 'title', cell: ({ action }) => <Action action={action} /> },
  { name: 'Subject', onPhone: 'plain', cell: entry => <SubjectLink entry={entry} /> },
  { name: 'Operator', onPhone: 'plain', cell: entry => <Actor entry={entry} /> },
  { name: 'From', width: '11rem', isSecondary: true, cell: ({ origin }) => origin },
]

function Action({ action }: { action: string }) {
  if (action === 'sign-in.refused') return <Badge tone="danger">{actionName(action)}</Badge>
  return <strong>{actionName(action)}</strong>
}
