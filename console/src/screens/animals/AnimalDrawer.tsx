import { useQuery } from '@tanstack/react-query'
import { animalQuery, isGone } from '../../data/animals.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { AnimalDetails } from './AnimalDetails.tsx'
import { AnimalHistory } from './AnimalHistory.tsx'
import type { Correct } from './use-correction.ts'

interface AnimalDrawerProps {
  id: string
  correct: Correct
  onClose(): void
}

/** One animal next to the list: its members and its history. */
export function AnimalDrawer({ id, correct, onClose }: AnimalDrawerProps) {
  const { data: animal, error, refetch } = useQuery(animalQuery(id))
  if (animal && !error) return <AnimalDetails animal={animal} correct={correct} onClose={onClose} />
  const isDeleted = isGone(error)
  return (
    <Dialog isOpen isDrawer onClose={onClose} title={`Animal ${id}`}>
      {!error && <Loading />}
      {isDeleted && (
        <>
          <p>This animal does not exist. If it was deleted, its history shows who deleted it.</p>
          <AnimalHistory id={id} />
        </>
      )}
      {error && !isDeleted && (
        <EmptyState title="The animal cannot be shown" action={<Button onClick={() => refetch()}>Try again</Button>}>
          {error.message}
        </EmptyState>
      )}
    </Dialog>
  )
}
