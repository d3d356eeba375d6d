import type { Ban } from '../../api/schema.ts'
import { BanOrdinal } from '../../parts/bans/BanOrdinal.tsx'
import { BanState } from '../../parts/bans/BanState.tsx'
import { keyLabel } from '../../parts/bans/key-label.ts'
import { sourceLabel } from '../../parts/bans/source-label.ts'
import type { Column } from '../../parts/DataTable.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Button } from '../../ui/Button.tsx'

/** @param onLift undefined if the operator may not lift bans */
export function columnsOf(onLift: ((ban: Ban) => void) | undefined): Column<Ban>[] {
  const columns: Column<Ban>[] = [
    {
      name: 'Key',
      cell: ban => (
        <strong>
          <bdi title={keyLabel(ban)}>{keyLabel(ban)}</bdi>
        </strong>
      ),
    },
    {
      name: 'Account',
      onPhone: 'plain',
      cell: ({ account }) => <bdi title={account ?? undefined}>{account}</bdi>,
    },
    { name: 'Source', onPhone: 'plain', cell: ban => <span title={sourceLabel(ban)}>{sourceLabel(ban)}</span> },
    { name: 'State', width: '12rem', onPhone: 'plain', cell: ban => <BanState ban={ban} /> },
    { name: 'Began', width: '9.5rem', isSecondary: true, cell: ({ startedAt }) => <TimeText at={startedAt} /> },
    { name: 'Length', width: '12rem', onPhone: 'plain', cell: ban => <BanOrdinal ban={ban} /> },
  ]
  if (onLift) columns.push({ name: 'Action', width: '5rem', cell: ban => <Lift ban={ban} onLift={onLift} /> })
  return columns
}

function Lift({ ban, onLift }: { ban: Ban; onLift(ban: Ban): void }) {
  if (ban.state !== 'in-force') return null
  return (
    <Button aria-label={`Lift the ban of ${keyLabel(ban)} for ${sourceLabel(ban)}`} onClick={() => onLift(ban)}>
      Lift
    </Button>
  )
}
