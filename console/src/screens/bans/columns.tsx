import type { Ban } from '../../api/schema.ts'
import { formatOrdinal } from '../../lib/numbers.ts'
import { Countdown } from '../../parts/Countdown.tsx'
import type { Column } from '../../parts/DataTable.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { keyLabel } from './key-label.ts'

/** @param onLift undefined for those who may not lift bans */
export function columnsOf(onLift: ((ban: Ban) => void) | undefined): Column<Ban>[] {
  const columns: Column<Ban>[] = [
    { name: 'Key', cell: ban => <strong dir="auto">{keyLabel(ban)}</strong> },
    { name: 'Account', isSecondary: true, cell: ({ account }) => <bdi>{account}</bdi> },
    { name: 'State', width: '11rem', cell: ban => <State ban={ban} /> },
    { name: 'Began', width: '9rem', isSecondary: true, cell: ({ startedAt }) => <TimeText at={startedAt} /> },
    {
      name: 'In a row',
      width: '6rem',
      isSecondary: true,
      cell: ({ ordinal }) => (
        <span title="Each ban in a row is twice as long as the one before.">{formatOrdinal(ordinal)}</span>
      ),
    },
  ]
  if (onLift) columns.push({ name: 'Action', width: '5rem', cell: ban => <Lift ban={ban} onLift={onLift} /> })
  return columns
}

function State({ ban: { state, endsAt, liftedAt } }: { ban: Ban }) {
  if (state === 'lifted') {
    return (
      <>
        <Badge>Lifted</Badge> <TimeText at={liftedAt} />
      </>
    )
  }
  if (state === 'over') {
    return (
      <>
        <Badge>Over</Badge> <TimeText at={endsAt} />
      </>
    )
  }
  return (
    <>
      <Badge tone="danger">Banned</Badge> <Countdown until={endsAt} over="ends now" />
    </>
  )
}

function Lift({ ban, onLift }: { ban: Ban; onLift(ban: Ban): void }) {
  if (ban.state !== 'in-force') return null
  return (
    <Button aria-label={`Lift the ban of ${keyLabel(ban)}`} onClick={() => onLift(ban)}>
      Lift
    </Button>
  )
}
