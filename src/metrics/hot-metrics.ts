import type { Metric, Registry } from '@prometheus-io/client'

// Metrics that every call updates. With the classes of the client library, they would cost 3 % of a list.

type LabelValue = string | number

/** A label with a fixed list of values. Any other value counts as `other`, so that clients cannot create ever more series. */
export class Label {
  readonly name: string
  readonly values: readonly LabelValue[]
  readonly #indexes: ReadonlyMap<LabelValue | undefined, number>
  readonly #other: number

  constructor(name: string, values: readonly LabelValue[], other: string) {
    this.name = name
    this.values = [...new Set([...values, other])]
    this.#indexes = new Map(this.values.map((value, index) => [value, index]))
    this.#other = this.values.indexOf(other)
  }

  indexOf(value: LabelValue | undefined): number {
    return this.#indexes.get(value) ?? this.#other
  }
}

export class HotCounter {
  readonly #rows: Label
  readonly #columns: Label
  readonly #counts: Float64Array

  /** @param zeros series that are visible as 0 from the start: `rate()` does not see the first event of a new series */
  constructor(
    registry: Registry,
    name: string,
    help: string,
    [rows, columns]: readonly [Label, Label],
    zeros: { rows: readonly LabelValue[]; columns: readonly LabelValue[] },
  ) {
    const counts = new Float64Array(rows.values.length * columns.values.length)
    this.#rows = rows
    this.#columns = columns
    this.#counts = counts
    register(registry, 'counter', name, help, () =>
      Array.from(counts, (value, index) => {
        const row = rows.values[Math.floor(index / columns.values.length)] as LabelValue
        const column = columns.values[index % columns.values.length] as LabelValue
        const isVisible = value > 0 || (zeros.rows.includes(row) && zeros.columns.includes(column))
        return isVisible ? { labels: { [rows.name]: row, [columns.name]: column }, value } : []
      }).flat(),
    )
  }

  add(row: LabelValue | undefined, column: LabelValue | undefined): void {
    const index = this.#rows.indexOf(row) * this.#columns.values.length + this.#columns.indexOf(column)
    this.#counts[index] = (this.#counts[index] as number) + 1
  }
}

export class HotHistogram {
  readonly #label: Label
  readonly #bounds: readonly number[]
  /** For each value of the label: the sum, the count of each bucket, and the count above the last bucket. */
  readonly #cells: Float64Array

  /** @param bounds upper bounds of the buckets in seconds, ascending */
  constructor(registry: Registry, name: string, help: string, label: Label, bounds: readonly number[]) {
    const width = bounds.length + 2
    const cells = new Float64Array(label.values.length * width)
    this.#label = label
    this.#bounds = bounds
    this.#cells = cells
    register(registry, 'histogram', name, help, () =>
      label.values.flatMap((value, row) => {
        const labels = { [label.name]: value }
        const [sum = 0, ...counts] = cells.subarray(row * width, (row + 1) * width)
        let count = 0
        const buckets = [...bounds, '+Inf'].map((le, bucket) => {
          count += counts[bucket] as number
          return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
        })
        return [
          ...buckets,
          { metricName: `${name}_sum`, labels, value: sum },
          { metricName: `${name}_count`, labels, value: count },
        ]
      }),
    )
  }

  observe(value: LabelValue | undefined, seconds: number): void {
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1
    const start = this.#label.indexOf(value) * (bounds.length + 2)
    this.#cells[start] = (this.#cells[start] as number) + seconds
    this.#cells[start + 1 + bucket] = (this.#cells[start + 1 + bucket] as number) + 1
  }
}

/** One line of a metric, as the client library writes it. */
interface Sample {
  metricName?: string
  labels: Record<string, LabelValue>
  value: number
}

function register(registry: Registry, type: string, name: string, help: string, samples: () => Sample[]): void {
  const metric = { name, help, type, get: async () => ({ name, help, type, values: samples() }) }
  // The registry needs only these members, but its type requires one of the library's classes.
  registry.registerMetric(metric as unknown as Metric)
}
