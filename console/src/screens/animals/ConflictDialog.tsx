import { useMutation, useQueryClient } from '@tanstack/react-query'
import { isGone } from '../../api/call.ts'
import type { Pet } from '../../api/schema.ts'
import { type AnimalState, hideAnimal } from '../../data/animals.ts'
import { useMembers } from '../../parts/animal-changes.tsx'
import { TableHead } from '../../parts/TableHead.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { sentence } from '../../ui/sentence.ts'
import { Notice } from '../../ui/states.tsx'
import type { Conflict } from './use-correction.ts'

interface ConflictDialogProps {
  conflict: Conflict
  keepMine(theirs: Pet): Promise<void>
  takeTheirs(theirs: Pet): void
  leave(): void
}

/** Someone else has changed the same animal: shows both versions, and asks which one to keep. */
export function ConflictDialog({ conflict, keepMine, takeTheirs, leave }: ConflictDialogProps) {
  const { theirs } = conflict
  const { animal, change } = conflict.correction
  const keep = useMutation({ mutationFn: keepMine })
  if (theirs instanceof Error) return <Lost animal={animal} error={theirs} onClose={leave} />
  return (
    <Dialog
      onClose={leave}
      title={sentence`Someone else has changed ${animal.name}`}
      description="Your change is not saved yet. Choose which version to keep; the values that differ are marked."
      actions={
        <>
          <Button onClick={() => takeTheirs(theirs)}>Keep theirs</Button>
          <Button kind="primary" isMain isBusy={keep.isPending} onClick={() => keep.mutate(theirs)}>
            Keep mine
          </Button>
        </>
      }
    >
      <Versions mine={{ ...theirs, ...change }} theirs={theirs} />
      {keep.error && <Notice tone="danger">{keep.error.message}</Notice>}
    </Dialog>
  )
}

/** The other version cannot be shown: the animal was deleted, or the service cannot be reached. */
function Lost({ animal, error, onClose }: { animal: Pet; error: Error; onClose(): void }) {
  const client = useQueryClient()
  const isDeleted = isGone(error)
  const leave = () => {
    onClose()
    if (isDeleted) hideAnimal(client, animal.id)
  }
  return (
    <Dialog
      onClose={leave}
      title={sentence`${animal.name} was not changed`}
      actions={<Button onClick={leave}>Close</Button>}
    >
      <p>{isDeleted ? 'Someone else has deleted this animal.' : error.message}</p>
    </Dialog>
  )
}

function Versions({ mine, theirs }: { mine: AnimalState; theirs: AnimalState }) {
  const membersOf = useMembers()
  return (
    <table className="versions box">
      <TableHead names={['Value', 'Your change', 'Saved by someone else']} />
      <tbody>
        {membersOf(mine, theirs).map(([member, own, other]) => (
          <tr key={member} data-differs={own !== other}>
            <th scope="row">
              {member}
              {own !== other && <span className="visually-hidden"> (differs)</span>}
            </th>
            <td>
              <bdi>{own}</bdi>
            </td>
            <td>
              <bdi>{other}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
