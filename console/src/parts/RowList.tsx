import type { ReactNode } from 'react'
import type { Rows } from '../data/rows.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/states.tsx'
import { Loading } from './Loading.tsx'

interface RowListProps<Row extends { id: bigint }> {
  list: Rows<Row>
  empty?: ReactNode
  children(row: Row): ReactNode
}

/** A short list in a panel or a drawer, of which more is shown on request. */
export function RowList<Row extends { id: bigint }>({ list, empty, children }: RowListProps<Row>) {
  const { rows, hasMore, isLoading, onEnd, error, endError } = list
  const failure = error ?? endError
  return (
    <>
      {rows.length === 0 && (isLoading ? <Loading /> : !error && empty)}
      {rows.length > 0 && (
        <ul className="lines">
          {rows.map(row => (
            <li key={String(row.id)} className="row">
              {children(row)}
            </li>
          ))}
        </ul>
      )}
      {failure && <Notice tone="danger">{failure.message}</Notice>}
      {hasMore && (
        <Button onClick={onEnd} isBusy={isLoading}>
          Show more
        </Button>
      )}
    </>
  )
}
