import type { DeletedPet } from '../../api/schema.ts'
import type { Rows } from '../../data/rows.ts'
import { useRestore } from '../../data/undo.ts'
import { type Column, DataTable, type DataTableProps } from '../../parts/DataTable.tsx'
import { StatusBadge } from '../../parts/statuses.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Button } from '../../ui/Button.tsx'
import { sentence } from '../../ui/sentence.ts'
import { addFailure, addToast } from '../../ui/toasts.ts'
import { CategoryCell, NUMBER_COLUMN } from './columns.tsx'
import { useAnimalsSearch } from './search.ts'

interface DeletedAnimalsProps {
  list: Rows<DeletedPet>
  /** How animals are opened. */
  opening: Pick<DataTableProps<DeletedPet>, 'openKey' | 'onOpen' | 'onStep'>
}

/** The deleted animals that match the filters. Each can be brought back. */
export function DeletedAnimals({ list, opening }: DeletedAnimalsProps) {
  const [search, change] = useAnimalsSearch()
  const { q, category } = search
  const clear = () => change({ q: undefined, category: undefined })
  return (
    <DataTable
      label="Deleted animals"
      columns={opening.openKey === undefined ? COLUMNS : COLUMNS_BESIDE}
      {...opening}
      {...list}
      onClear={clear}
      notFound={
        (q !== undefined || category !== undefined) && [
          'No deleted animal matches',
          'The filters apply to the values that the animals had when they were deleted.',
        ]
      }
      empty={[
        'No deleted animals',
        'An animal that is deleted appears here, with its last values. You can bring it back under its own number.',
      ]}
    />
  )
}

const COLUMNS: Column<DeletedPet>[] = [
  NUMBER_COLUMN,
  { name: 'Name', onPhone: 'title', cell: ({ name }) => <bdi title={name}>{name}</bdi> },
  { name: 'Category', width: '18%', onPhone: 'labelled', cell: animal => <CategoryCell {...animal} /> },
  { name: 'Status', width: '7rem', isSecondary: true, cell: ({ status }) => <StatusBadge status={status} /> },
  { name: 'Deleted', width: '9.5rem', onPhone: 'labelled', cell: ({ deletedAt }) => <TimeText at={deletedAt} /> },
  { name: 'By', width: '20%', onPhone: 'labelled', cell: ({ deletedBy }) => <bdi title={deletedBy}>{deletedBy}</bdi> },
  { name: 'Action', width: '6rem', cell: animal => <RestoreButton {...animal} /> },
]

const COLUMNS_BESIDE = COLUMNS.filter(({ name }) => name !== 'Category' && name !== 'By')

function RestoreButton({ id, name, entryId }: DeletedPet) {
  const { mutateAsync, isPending } = useRestore()
  async function run() {
    await mutateAsync({ petId: String(id), entryId })
    addToast({ title: sentence`${name} was restored` })
  }
  return (
    <Button
      aria-label={`Restore ${name}`}
      isBusy={isPending}
      onClick={() => run().catch(error => addFailure(sentence`${name} was not restored`, error))}
    >
      Restore
    </Button>
  )
}
