import { Counter, type Registry } from 'prom-client'
import type { ClosedList, LabelValue } from './closed-list.ts'

interface Description {
  name: string
  help: string
  rows: ClosedList
  columns: ClosedList
  /** The columns that stand there as 0 from the start: the first event in a series that begins with it is invisible to `rate()`. */
  zero: readonly LabelValue[]
}

/**
 * A counter with two labels that is cheap enough for every call: it counts into an array, and prom-client gets the sums when
 * Prometheus asks. prom-client's own `inc` takes ten times as long, even with its labels bound.
 */
export class CountTable {
  readonly #rows: ClosedList
  readonly #columns: ClosedList
  readonly #counts: Float64Array

  constructor(registry: Registry, { name, help, rows, columns, zero }: Description) {
    this.#rows = rows
    this.#columns = columns
    this.#counts = new Float64Array(rows.values.length * columns.values.length)
    const visibleFromStart = new Set(zero.map(value => columns.placeOf(value)))
    const counts = this.#counts
    new Counter({
      name,
      help,
      labelNames: [rows.label, columns.label],
      registers: [registry],
      collect() {
        this.reset()
        for (const [row, rowValue] of rows.values.entries()) {
          for (const [column, columnValue] of columns.values.entries()) {
            const count = counts[row * columns.values.length + column] as number
            const isVisible = count > 0 || (row < rows.expected && visibleFromStart.has(column))
            if (isVisible) this.inc({ [rows.label]: rowValue, [columns.label]: columnValue }, count)
          }
        }
      },
    })
  }

  add(row: LabelValue | undefined, column: LabelValue | undefined): void {
    const place = this.#rows.placeOf(row) * this.#columns.values.length + this.#columns.placeOf(column)
    this.#counts[place] = (this.#counts[place] as number) + 1
  }
}
