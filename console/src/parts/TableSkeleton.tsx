import { classOf, type TableColumn } from './TableRow.tsx'

const ROWS = Array.from({ length: 8 }, (_, index) => index)

/** A placeholder for rows. It only becomes visible if they take a while: see data-table.css. */
export function TableSkeleton({ columns, hasSelection }: { columns: readonly TableColumn[]; hasSelection: boolean }) {
  return (
    <tbody className="table-skeleton" aria-hidden="true">
      {ROWS.map(row => (
        <tr key={row}>
          {hasSelection && <td className="select-cell" />}
          {columns.map((column, at) => (
            <td key={column.name} className={classOf(column, at, columns.length)}>
              <i />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}
