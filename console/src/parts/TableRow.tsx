import { memo, type ReactNode, type Ref } from 'react'
import { cx } from '../ui/cx.ts'
import { type Selection, SelectRow } from './selection.tsx'

export interface Column<Row = unknown> {
  name: string
  cell(row: Row): ReactNode
  /**
   * In CSS. A column is at least this wide, and grows with its values. A column with a width in %, or without one, gets a share of the remaining
   * space and shortens long values.
   */
  width?: string
  isNumber?: boolean
  /** The order of the list in which it is sorted by this column; its header chooses it. */
  order?: { value: string; direction: 'ascending' | 'descending' }
  /** Hidden in narrow tables. */
  isSecondary?: boolean
  /**
   * Its position in a row on a phone: the start or end of the first line, or a line below, with or without the name of the column. By default, the
   * first column is the title, the last one the end, and a secondary one is left out.
   */
  onPhone?: 'title' | 'end' | 'plain' | 'labelled' | 'hidden'
}

export function isFlexible({ width }: Column): boolean {
  return width === undefined || width.endsWith('%')
}

export function classOf(column: Column, at: number, count: number): string {
  const { isNumber, isSecondary, onPhone } = column
  const usual = isSecondary ? 'hidden' : at === 0 ? 'title' : at === count - 1 ? 'end' : 'labelled'
  return cx(
    isNumber && 'is-number',
    isSecondary && 'is-secondary',
    isFlexible(column) && 'is-flexible',
    `on-phone-${onPhone ?? usual}`,
  )
}

interface TableRowProps {
  /** Measures rows of different heights. */
  ref: Ref<HTMLTableRowElement> | undefined
  rowKey: string
  row: unknown
  index: number
  columns: readonly Column[]
  selection: Selection | undefined
  isSelected: boolean
  name: string | undefined
  isOpen: boolean
  canOpen: boolean
  isTabStop: boolean
}

/** Rendered again only if it has changed, so that scrolling only renders new rows. */
export const TableRow = memo((props: TableRowProps) => {
  const { ref, rowKey, row, index, columns, selection, isSelected, name, isOpen, canOpen, isTabStop } = props
  return (
    <tr
      ref={ref}
      data-index={index}
      data-key={rowKey}
      data-selected={isSelected || undefined}
      aria-rowindex={index + 2}
      aria-current={isOpen || undefined}
      tabIndex={isTabStop ? 0 : -1}
      className={cx(canOpen && 'can-open')}
    >
      {selection && <SelectRow selection={selection} rowKey={rowKey} index={index} name={name ?? rowKey} />}
      {columns.map((column, at) => (
        <td key={column.name} className={classOf(column, at, columns.length)} data-label={column.name}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
})

const ROWS = Array.from({ length: 8 }, (_, index) => index)

/** A placeholder for rows. It only becomes visible if they take a while: see data-table.css. */
export function TableSkeleton({ columns, hasSelection }: { columns: readonly Column[]; hasSelection: boolean }) {
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
