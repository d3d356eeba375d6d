import { useState } from 'react'
import type { PetTotals } from '../../api/schema.ts'
import type { Selected } from '../../data/animals.ts'
import { formatCount } from '../../lib/numbers.ts'
import type { Selection } from '../../parts/selection.tsx'
import { Button } from '../../ui/Button.tsx'
import { BulkDialog } from './dialogs.ts'
import { useAnimalsSearch } from './search.ts'

interface BulkBarProps {
  selection: Selection
  /** Everything that matches the filters. */
  whole: Selected
  /** Undefined if all of them are loaded. */
  total: PetTotals | undefined
}

/** The actions on the selected animals. */
export function BulkBar({ selection, whole, total }: BulkBarProps) {
  const [kind, setKind] = useState<'correct' | 'delete'>()
  const { search } = useAnimalsSearch()
  const all = total && (search.status?.split(',') ?? ['total']).reduce((sum, name) => sum + total[name as 'total'], 0)
  const { size, isWhole, isAll, keys, clear, selectWhole } = selection
  const count = formatCount(isWhole ? (all ?? size) : size)
  const selected: Selected = isWhole ? whole : { ids: [...keys].map(BigInt) }
  return (
    <section className="bulk-bar" aria-label="Selected animals">
      <strong role="status">{count} selected</strong>
      {isAll && !isWhole && all !== undefined && (
        <Button kind="quiet" onClick={selectWhole}>
          Select all {formatCount(all)} that match
        </Button>
      )}
      <span className="bulk-actions">
        <Button onClick={() => setKind('correct')}>Change…</Button>
        <Button onClick={() => setKind('delete')}>Delete…</Button>
        <Button kind="quiet" onClick={clear}>
          Clear selection
        </Button>
      </span>
      {kind && <BulkDialog kind={kind} selected={selected} onClose={() => setKind(undefined)} onDone={clear} />}
    </section>
  )
}
