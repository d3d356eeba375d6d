import { useInfiniteQuery } from '@tanstack/react-query'
import type { AuditAction, PetEvent } from '../../api/schema.ts'
import { historyQuery } from '../../data/animals.ts'
import { categoryName } from '../../data/categories.ts'
import { statusName } from '../../parts/statuses.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Button } from '../../ui/Button.tsx'

/** The operator actions on an animal, newest first. */
export function AnimalHistory({ id }: { id: string }) {
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage } = useInfiniteQuery(historyQuery(id))
  const events = data?.pages.flatMap(({ value }) => value) ?? []
  return (
    <section className="history">
      <h3>History</h3>
      {error && <p className="field-error">{error.message}</p>}
      {data && events.length === 0 && <p className="muted">No operator has changed this animal since it was added.</p>}
      <ol>
        {events.map(event => (
          <li key={String(event.id)} className="history-entry">
            <p>
              <strong>{ACTIONS[event.action] ?? event.action}</strong> by <bdi>{event.actor}</bdi>
              <span className="muted">
                {' · '}
                <TimeText at={event.at} />
              </span>
            </p>
            <Differences {...event} />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show earlier changes
        </Button>
      )}
    </section>
  )
}

const ACTIONS: Partial<Record<AuditAction, string>> = {
  'pet.create': 'Added',
  'pet.correct': 'Corrected',
  'pet.delete': 'Deleted',
  'pet.correct-many': 'Corrected in bulk',
  'pet.delete-many': 'Deleted in bulk',
  'pet.import': 'Imported',
  'pet.update': 'Corrected from a file',
}

function Differences({ before, after }: PetEvent) {
  if (!before || !after) return null
  const changes = [
    ['Name', before.name, after.name],
    ['Category', categoryName(before.categoryId, null), categoryName(after.categoryId, null)],
    ['Status', statusName(before.status), statusName(after.status)],
  ] as const
  return (
    <ul>
      {changes
        .filter(([, from, to]) => from !== to)
        .map(([member, from, to]) => (
          <li key={member}>
            {member}:{' '}
            <del>
              <bdi>{from}</bdi>
            </del>{' '}
            →{' '}
            <ins>
              <bdi>{to}</bdi>
            </ins>
          </li>
        ))}
    </ul>
  )
}
