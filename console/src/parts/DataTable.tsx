import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  Fragment,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useConnection } from '../data/connection.ts'
import type { Rows } from '../data/rows.ts'
import { expectOverlay } from '../lib/type-ahead.ts'
import { useMedia } from '../lib/use-media.ts'
import { useWidth } from '../lib/use-width.ts'
import { useShortcut } from '../shortcuts/shortcuts.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/states.tsx'
import { ClearButton } from './ClearButton.tsx'
import { ListError } from './ListError.tsx'
import { Loading } from './Loading.tsx'
import { SelectAll, type Selection } from './selection.tsx'
import { type Column, classOf, isFlexible, TableRow, TableSkeleton } from './TableRow.tsx'
import './data-table.css'

export type { Column }

export interface DataTableProps<Row extends { id: bigint }> extends Rows<Row> {
  label: string
  columns: readonly Column<Row>[]
  order?: string | undefined
  /** Called by the header of a column; without an order, the list has its usual one again. */
  onOrder?(order: string | undefined): void
  /** Opens a row: by a click, or Enter on it. */
  onOpen?(row: Row, isByKey: boolean): void
  openKey?: string | undefined
  /** Opens the next or the previous row instead of the open one, which is beside the table. Otherwise, it is over the table. */
  onStep?: ((step: number) => void) | undefined
  /** Gives rows a checkbox. */
  selection?: Selection | undefined
  /** The name of a row, for the label of its checkbox. */
  nameOf?(row: Row): string
  /** Handles keys on the focused row that tables do not handle themselves; returns false for other keys. */
  onKey?(key: string, row: Row): boolean
  /** Clears the filters that the service refused. */
  onClear?(): void
  /** Shown below the header if there are no rows. */
  empty: Empty
  /** Shown instead, with a button to clear the filters, if there are filters: what was not found, and a hint. */
  notFound?: readonly [title: string, hint?: string] | false
}

/** What would be in a list, and how to get there. */
export type Empty = readonly [title: string, text?: string, action?: ReactNode]

const ROW_HEIGHT = 44
const HEAD_HEIGHT = 36
/** As in data-table.css: in a list that is not wider, a row has two lines. */
const PHONE_WIDTH = 636
const PHONE_ROW_HEIGHT = 60
/** As in data-table.css: in such a window, the screen scrolls instead of its list. */
const SMALL = '(max-height: 22rem), (max-width: 37rem) and (max-height: 40rem)'
/** How many rows above and below the visible ones are rendered too. */
const OVERSCAN = 12
/** More rows are loaded when only this many are left below. */
const AHEAD = 20

/**
 * A table of any length: only the visible rows are rendered. Rows are reached with the arrow keys or j and k, opened with
 * Enter, and selected with x, several of them with Shift. On phones, it is a list with rows of two lines or more.
 */
export function DataTable<Row extends { id: bigint }>(props: DataTableProps<Row>) {
  const { label, columns, rows, listKey, order, onOrder, onOpen, openKey, onStep, selection, nameOf, onKey } = props
  const { hasMore, isLoading, onEnd, error, endError, onClear, empty, notFound } = props
  const [title, text] = notFound || empty
  const { isLost } = useConnection()
  const hasRows = rows.length > 0
  const scroller = useRef<HTMLDivElement>(null)
  const width = useWidth(scroller)
  const isPhone = width > 0 && width <= PHONE_WIDTH
  const isSmall = useMedia(SMALL)
  const [active, setActive] = useState(0)
  // The visible rows are shown first.
  const overscan = useDeferredValue(hasRows ? OVERSCAN : 0, 0)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () =>
      (isSmall ? scroller.current?.closest('[data-fixed="true"]')?.parentElement : undefined) ?? scroller.current,
    estimateSize: () => (isPhone ? PHONE_ROW_HEIGHT : ROW_HEIGHT),
    overscan,
    scrollPaddingEnd: HEAD_HEIGHT,
    rangeExtractor: range => [...new Set([...focusedRow(), ...defaultRangeExtractor(range)])].toSorted((a, b) => a - b),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows have another height then
  useLayoutEffect(() => virtualizer.measure(), [isPhone])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top
  useLayoutEffect(() => {
    scroller.current?.scrollTo(0, 0)
    setActive(0)
  }, [listKey])
  // biome-ignore lint/correctness/useExhaustiveDependencies: an open row that someone else moves is not followed
  useLayoutEffect(() => {
    const index = rows.findIndex(({ id }) => String(id) === openKey)
    if (index < 0) return
    if (scroller.current?.querySelector('tr:focus')) moveFocus(index)
    else scrollTo(index)
  }, [openKey, isPhone, hasRows, listKey])
  /** The row with the focus stays, however far it is scrolled away: it may have a field with input. */
  function focusedRow(): number[] {
    const row = scroller.current?.querySelector<HTMLElement>('tr[data-index]:focus-within')
    return row && Number(row.dataset.index) < rows.length ? [Number(row.dataset.index)] : []
  }
  const visible = virtualizer.getVirtualItems()
  const last = visible.at(-1)?.index ?? 0
  const tabStop = visible.some(({ index }) => index === active) ? active : visible[0]?.index
  useEffect(() => {
    if (hasMore && !isLoading && !endError && last >= rows.length - AHEAD) onEnd()
  }, [hasMore, isLoading, endError, last, rows.length, onEnd])

  useShortcut({ keys: 'j', name: 'Next row', run: () => moveBy(1) }, hasRows)
  useShortcut({ keys: 'k', name: 'Previous row', run: () => moveBy(-1) }, hasRows)
  useShortcut({ keys: 'Enter', name: 'Open row' }, onOpen !== undefined && hasRows)
  useShortcut({ keys: 'x', name: 'Select row' }, selection !== undefined && hasRows)

  function press(event: KeyboardEvent) {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event
    const index = indexOf(event)
    const row = rows[index]
    if (row === undefined || !isForRow(event) || ctrlKey || metaKey || altKey) return
    const letter = key.length === 1 ? key.toLowerCase() : key
    const step = STEPS[letter]
    if (key === 'Enter') openRow(row, true)
    else if (selection && (letter === 'x' || key === ' ')) selection.toggle(index, shiftKey)
    else if (selection && key === 'Escape' && selection.size > 0) selection.clear()
    else if (step === undefined && !onKey?.(key, row)) return
    // A field that opens must not receive the letter that opened it.
    event.preventDefault()
    if (step === undefined) return
    const next = inRange(index + step)
    if (shiftKey) selection?.extend(index, next)
    else if (Math.abs(step) === 1) return moveBy(step)
    moveFocus(next)
  }

  /** Relative to the focused row; the first time, to the row that gets the focus when the table is reached. */
  function moveBy(step: number) {
    if (openKey !== undefined && onStep) return onStep(step)
    const [focused] = focusedRow()
    moveFocus(inRange(focused === undefined ? (tabStop ?? 0) : focused + step))
  }

  function inRange(index: number): number {
    return Math.max(0, Math.min(rows.length - 1, index))
  }

  function scrollTo(index: number) {
    if (!isSmall) virtualizer.scrollToIndex(index)
  }

  function moveFocus(next: number) {
    scrollTo(next)
    if (focusIndex(next)) return
    // It is not rendered yet. A small window scrolls to the row with the focus, but rows are rendered only near it.
    virtualizer.scrollToIndex(next)
    requestAnimationFrame(() => focusIndex(next))
  }

  function focusIndex(index: number): boolean {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    row?.focus({ preventScroll: !isSmall })
    return row != null
  }

  function open(event: MouseEvent) {
    const index = indexOf(event)
    const row = rows[index]
    if (row === undefined || !isOnRow(event)) return
    if (selection && (event.shiftKey || event.ctrlKey || event.metaKey)) selection.toggle(index, event.shiftKey)
    // Text may be selected, to copy it.
    else if (document.getSelection()?.isCollapsed !== false) openRow(row, false)
  }

  function openRow(row: Row, isByKey: boolean) {
    if ('openKey' in props && !onStep) expectOverlay()
    onOpen?.(row, isByKey)
  }

  const shareOf = sharesOf(columns)
  const after = virtualizer.getTotalSize() - (visible.at(-1)?.end ?? 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-scroller" ref={scroller} tabIndex={0} aria-label={label} aria-busy={isLoading}>
      <table className="table" aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <thead>
          <tr>
            {selection && <SelectAll selection={selection} />}
            {columns.map((column, at) => (
              <th
                key={column.name}
                scope="col"
                style={isFlexible(column) ? { inlineSize: shareOf(column) } : { minInlineSize: column.width }}
                className={classOf(column, at, columns.length)}
                aria-sort={column.order && (column.order.value === order ? column.order.direction : 'none')}
              >
                {column.order && onOrder ? (
                  <button
                    type="button"
                    className="order-button"
                    onClick={() => onOrder(column.order?.value === order ? undefined : column.order?.value)}
                  >
                    {column.name}
                  </button>
                ) : (
                  column.name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody
          onClick={open}
          onMouseDown={event => {
            // Shift selects rows, not text.
            if (selection && event.shiftKey && isOnRow(event)) event.preventDefault()
          }}
          onKeyDown={press}
          onFocus={event => {
            if (indexOf(event) >= 0) setActive(indexOf(event))
          }}
        >
          {visible.map(({ index, start }, at) => {
            const row = rows[index] as Row
            const key = String(row.id)
            const before = start - (visible[at - 1]?.end ?? 0)
            return (
              <Fragment key={key}>
                {before > 0 && <Space height={before} />}
                <TableRow
                  rowKey={key}
                  row={row}
                  index={index}
                  ref={isPhone ? virtualizer.measureElement : undefined}
                  columns={columns}
                  selection={selection}
                  isSelected={selection?.has(key) ?? false}
                  name={selection && nameOf?.(row)}
                  isOpen={openKey === key}
                  canOpen={onOpen !== undefined}
                  isTabStop={index === tabStop}
                />
              </Fragment>
            )
          })}
          {after > 0 && <Space height={after} />}
        </tbody>
        {!hasRows && isLoading && !isLost && <TableSkeleton columns={columns} hasSelection={selection !== undefined} />}
      </table>
      {endError && hasRows && (
        <div className="table-failed row" role="alert">
          <p>More rows could not be loaded. {endError.message}</p>
          <Button isBusy={isLoading} onClick={onEnd}>
            Try again
          </Button>
        </div>
      )}
      {!hasRows && isLoading && isLost && <Loading />}
      {!hasRows && !isLoading && error && <ListError error={error} onClear={onClear} />}
      {!hasRows && !isLoading && !error && (
        <EmptyState title={title} action={notFound ? <ClearButton onClear={onClear} /> : empty[2]}>
          {text}
        </EmptyState>
      )}
    </section>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 10, PageUp: -10 }

/** Returns the focus to a row after an action in it, or to its table if the row is out of sight. */
export function focusRow(key: string): void {
  const row = document.querySelector<HTMLElement>(`.table tr[data-key="${CSS.escape(key)}"]`)
  const target = row ?? document.querySelector<HTMLElement>('.table-scroller')
  target?.focus({ preventScroll: true })
}

/** The widths of columns whose values may be shortened: columns without a width share the remaining space. */
function sharesOf(columns: readonly Column[]): (column: Column) => string {
  const given = columns.reduce((sum, { width }) => sum + (width?.endsWith('%') ? Number.parseFloat(width) : 0), 0)
  const others = columns.filter(({ width }) => width === undefined).length
  return ({ width }) => width ?? `${(100 - given) / others}%`
}

type RowEvent = KeyboardEvent | MouseEvent | FocusEvent

function rowOf({ target }: RowEvent): HTMLElement | null {
  return (target as Element).closest<HTMLElement>('tr[data-index]')
}

/** -1 outside the rows. */
function indexOf(event: RowEvent): number {
  return Number(rowOf(event)?.dataset.index ?? -1)
}

/** Keys pressed in a field of the row are for the field, but a checkbox is a part of its row. */
function isForRow(event: KeyboardEvent): boolean {
  const isCheckbox = (event.target as Element).matches('.select-cell input')
  return event.target === rowOf(event) || (isCheckbox && event.key !== ' ')
}

/** Controls in a row handle their own events. */
function isOnRow({ target }: MouseEvent): boolean {
  return (target as Element).closest('button, input, select, a, label') === null
}

/** Takes the space of the rows that are not rendered. */
function Space({ height }: { height: number }) {
  return (
    <tr className="table-space">
      <td style={{ blockSize: height }} />
    </tr>
  )
}
