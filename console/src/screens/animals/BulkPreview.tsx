import { useQuery } from '@tanstack/react-query'
import type { Pet, PetPreview } from '../../api/schema.ts'
import type { AnimalChange, Selected } from '../../data/animals.ts'
import { categoriesQuery, categoryName } from '../../data/categories.ts'
import { formatCount } from '../../lib/numbers.ts'
import { StatusBadge, statusName } from '../../parts/statuses.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'

interface BulkPreviewProps {
  preview: PetPreview
  selected: Selected
  /** Their new values. */
  change?: AnimalChange | undefined
  /** Changes the selection, to leave out animals that no longer exist. */
  onLeaveOut(selected: Selected): void
}

/** The animals that a change would affect, as many as the service shows. */
export function BulkPreview({ preview, selected, change = {}, onLeaveOut }: BulkPreviewProps) {
  const { count, sample, version, missingIds } = preview
  const more = count - sample.length
  const missing = new Set(missingIds)
  return (
    <>
      {missingIds.length > 0 && 'ids' in selected && (
        <Notice tone="change">
          <p>{formatCount(missingIds.length)} of the selected animals no longer exist.</p>
          {count > 0 && (
            <Button onClick={() => onLeaveOut({ ids: selected.ids.filter(id => !missing.has(id)) })}>
              Leave them out
            </Button>
          )}
        </Notice>
      )}
      {version === null && missingIds.length === 0 && count > 0 && (
        <Notice tone="change">
          {formatCount(count)} animals are too many for one step. Narrow the filters, for example to one category, and
          change them in parts.
        </Notice>
      )}
      {count > 0 && (
        <section className="preview" aria-label="Preview">
          <ul>
            {sample.map(animal => (
              <li key={String(animal.id)}>
                <span className="preview-name">
                  <bdi>{animal.name}</bdi>
                </span>
                <Category animal={animal} to={change.categoryId} />
                <Status animal={animal} to={change.status} />
              </li>
            ))}
          </ul>
          {more > 0 && <p className="preview-more">and {formatCount(more)} more</p>}
        </section>
      )}
    </>
  )
}

function Category({ animal, to }: { animal: Pet; to: AnimalChange['categoryId'] }) {
  const { data: categories = [] } = useQuery(categoriesQuery)
  const { categoryId, categoryLabel } = animal
  if (to === undefined || String(to) === String(categoryId)) {
    return (
      <span className="muted">
        <bdi>{categoryName(categoryId, categoryLabel)}</bdi>
      </span>
    )
  }
  const label = categories.find(({ id }) => String(id) === String(to))?.label
  return (
    <span>
      <del>
        <bdi>{categoryName(categoryId, categoryLabel)}</bdi>
      </del>{' '}
      →{' '}
      <ins>
        <bdi>{categoryName(to, label)}</bdi>
      </ins>
    </span>
  )
}

function Status({ animal: { status }, to = status }: { animal: Pet; to: AnimalChange['status'] }) {
  return (
    <span className="preview-status">
      {to !== status && <del>{statusName(status)} → </del>}
      <StatusBadge status={to} />
    </span>
  )
}
