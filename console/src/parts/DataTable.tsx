import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import { cx } from '../ui/cx.ts'
import { SelectAll, type Selection, SelectRow } from './selection.tsx'
import './data-table.css'

export interface Column<Row> {
  name: string
  /** Of the column, in CSS; the rest is shared. */
  width?: string
  isNumber?: boolean
  /** Left out in narrow windows. */
  isSecondary?: boolean
  cell(row: Row): ReactNode
}

interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** Opens a row: by a click, or Enter on it. */
  onOpen?(row: Row): void
  /** The key of the row that is open beside the table. */
  openKey?: string | undefined
  /** Gives rows a checkbox. */
  selection?: Selection | undefined
  /** What a row is called, where it has a checkbox. */
  nameOf?(row: Row): string
  /** What a key does to the row that has the focus, beyond what it does in every table. */
  onKey?(key: string, row: Row): void
  /** For the style of a row that is not like the others. */
  stateOf?(row: Row): string | undefined
  hasMore: boolean
  isLoading: boolean
  onEnd(): void
  /** Shown below the header while there are no rows. */
  empty: ReactNode
}

const ROW_HEIGHT = 44
/** More rows are loaded when this many are left below. */
const AHEAD = 20

/**
 * A table of any length: only the rows that can be seen are in the page. Rows are reached with the arrow keys or j and k, opened with
 * Enter, and selected with the space bar.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, onOpen, openKey, selection, nameOf, onKey, stateOf } = props
  const { hasMore, isLoading, onEnd, empty } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  })
  const visible = virtualizer.getVirtualItems()
  const last = visible.at(-1)?.index ?? 0
  const tabStop = visible.some(({ index }) => index === active) ? active : visible[0]?.index
  useEffect(() => {
    if (hasMore && !isLoading && last >= rows.length - AHEAD) onEnd()
  }, [hasMore, isLoading, last, rows.length, onEnd])

  function press(event: KeyboardEvent) {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event
    const index = indexOf(event)
    const row = rows[index]
    if (row === undefined || event.target !== rowOf(event) || ctrlKey || metaKey || altKey) return
    const step = STEPS[key]
    if (key === 'Enter') onOpen?.(row)
    else if (key === ' ' && selection) selection.toggle(index, shiftKey)
    else if (step === undefined) return onKey?.(key, row)
    event.preventDefault()
    if (step !== undefined) moveFocus(index + step)
  }

  function moveFocus(wanted: number) {
    const next = Math.max(0, Math.min(rows.length - 1, wanted))
    virtualizer.scrollToIndex(next)
    if (!focusIndex(next)) requestAnimationFrame(() => focusIndex(next))
  }

  function focusIndex(index: number): boolean {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    row?.focus({ preventScroll: true })
    return row != null
  }

  function open(event: MouseEvent) {
    const row = rows[indexOf(event)]
    if (row !== undefined && isOnRow(event)) onOpen?.(row)
  }

  const before = visible[0]?.start ?? 0
  const after = virtualizer.getTotalSize() - (visible.at(-1)?.end ?? 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-scroller" ref={scroller} tabIndex={0} aria-label={label} aria-busy={isLoading}>
      <table className="table" aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <thead>
          <tr>
            {selection && <SelectAll selection={selection} />}
            {columns.map(({ name, width, isNumber, isSecondary }) => (
              <th
                key={name}
                scope="col"
                style={{ inlineSize: width }}
                className={cx(isNumber && 'is-number', isSecondary && 'is-secondary')}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody
          onClick={open}
          onKeyDown={press}
          onFocus={event => {
            if (indexOf(event) >= 0) setActive(indexOf(event))
          }}
        >
          {before > 0 && <Space height={before} />}
          {visible.map(({ index }) => {
            const row = rows[index] as Row
            const key = keyOf(row)
            return (
              <TableRow
                key={key}
                rowKey={key}
                row={row}
                index={index}
                columns={columns as readonly Column<unknown>[]}
                selection={selection}
                isSelected={selection?.has(key) ?? false}
                name={selection && nameOf?.(row)}
                state={stateOf?.(row)}
                isOpen={openKey === undefined ? undefined : openKey === key}
                canOpen={onOpen !== undefined}
                isTabStop={index === tabStop}
              />
            )
          })}
          {after > 0 && <Space height={after} />}
        </tbody>
      </table>
      {rows.length === 0 && !isLoading && empty}
    </section>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 10, PageUp: -10 }

/** Gives the focus back to a row after something in it was done. */
export function focusRow(key: string): void {
  document.querySelector<HTMLElement>(`.table tr[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true })
}

interface TableRowProps {
  rowKey: string
  row: unknown
  index: number
  columns: readonly Column<unknown>[]
  selection: Selection | undefined
  isSelected: boolean
  name: string | undefined
  state: string | undefined
  isOpen: boolean | undefined
  canOpen: boolean
  isTabStop: boolean
}

/** Drawn again only if something about it has changed, so that scrolling costs no more than the new rows. */
const TableRow = memo((props: TableRowProps) => {
  const { rowKey, row, index, columns, selection, isSelected, name, state, isOpen, canOpen, isTabStop } = props
  return (
    <tr
      data-index={index}
      data-key={rowKey}
      data-state={state}
      data-selected={isSelected || undefined}
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      tabIndex={isTabStop ? 0 : -1}
      className={cx(canOpen && 'can-open')}
    >
      {selection && <SelectRow selection={selection} rowKey={rowKey} index={index} name={name ?? rowKey} />}
      {columns.map(({ name, isNumber, isSecondary, cell }) => (
        <td key={name} className={cx(isNumber && 'is-number', isSecondary && 'is-secondary')}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
})

type RowEvent = KeyboardEvent | MouseEvent | FocusEvent

function rowOf({ target }: RowEvent): HTMLElement | null {
  return (target as Element).closest<HTMLElement>('tr[data-index]')
}

/** -1 outside of the rows. */
function indexOf(event: RowEvent): number {
  return Number(rowOf(event)?.dataset.index ?? -1)
}

/** A control in a row does its own. */
function isOnRow({ target }: MouseEvent): boolean {
  return (target as Element).closest('button, input, select, a, label') === null
}

/** Stands for the rows that cannot be seen. */
function Space({ height }: { height: number }) {
  return (
    <tr>
      <td style={{ blockSize: height }} />
    </tr>
  )
}
