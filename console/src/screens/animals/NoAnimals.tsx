import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { isFiltered, useAnimalsSearch } from './search.ts'

/** Why the list has no rows, and what to do about it. */
export function NoAnimals({ error, onRetry, onAdd }: { error: Error | null; onRetry(): void; onAdd(): void }) {
  const { search, change } = useAnimalsSearch()
  const clear = () => change({ q: undefined, status: undefined, category: undefined })
  if (error) {
    return (
      <EmptyState title="The animals cannot be shown" action={<Button onClick={onRetry}>Try again</Button>}>
        {error.message}
      </EmptyState>
    )
  }
  if (isFiltered(search)) {
    return (
      <EmptyState title="No animal matches" action={<Button onClick={clear}>Clear filters</Button>}>
        Search for a part of the name, in upper or lower case and with or without accents, or for the number of the
        animal.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title="No animals yet"
      action={
        <Button kind="primary" onClick={onAdd}>
          Add the first animal
        </Button>
      }
    >
      Animals that you add or import, and those that partners add with their API keys, appear here.
    </EmptyState>
  )
}
