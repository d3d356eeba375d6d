import type { Ban } from '../../api/schema.ts'
import { useLiftBan } from '../../data/keys.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { sentence } from '../../ui/sentence.ts'
import { addToast } from '../../ui/toasts.ts'
import { Countdown } from '../times.tsx'
import { keyLabel, sourceLabel } from './facts.tsx'

export function LiftDialog({ ban, onClose }: { ban: Ban; onClose(): void }) {
  const lift = useLiftBan()
  return (
    <ConfirmDialog
      onClose={onClose}
      title={sentence`Lift the ban of “${keyLabel(ban)}” for ${sourceLabel(ban)}?`}
      action="Lift the ban"
      kind="primary"
      onConfirm={async () => {
        await lift.mutateAsync(ban.id)
        addToast({ title: 'The ban is lifted', description: 'The key works from there again immediately.' })
      }}
    >
      <p>
        The key of <bdi>{ban.account}</bdi> will work from {sourceLabel(ban)} again immediately. Otherwise, the ban ends
        in <Countdown until={ban.endsAt} over="a moment" />.
      </p>
      <p>
        Ask the partner to fix the program first: it must wait after a 429 response. If it keeps calling, the key is
        banned again, for twice as long.
      </p>
    </ConfirmDialog>
  )
}
