import type { Metric, Registry } from 'prom-client'
import type { ClosedList, LabelValue } from './closed-list.ts'

interface Description {
  name: string
  help: string
  rows: ClosedList
  /** Upper bounds in seconds, ascending. */
  bounds: readonly number[]
}

/** One line of a metric, as prom-client writes it. */
interface Sample {
  metricName: string
  labels: Record<string, LabelValue>
  value: number
}

/** A histogram with one label that is cheap enough for every call, for the reason given in count-table.ts. */
export class DurationTable {
  readonly #rows: ClosedList
  readonly #bounds: readonly number[]
  /** For each row: how many were within each bound and above the one before, and how many above all. */
  readonly #counts: Float64Array
  readonly #sums: Float64Array

  constructor(registry: Registry, { name, help, rows, bounds }: Description) {
    this.#rows = rows
    this.#bounds = bounds
    this.#counts = new Float64Array(rows.values.length * (bounds.length + 1))
    this.#sums = new Float64Array(rows.values.length)
    const metric = { name, help, type: 'histogram', get: async () => ({ ...metric, values: this.#samples(name) }) }
    // A registry asks no more of a metric than this, but its type names prom-client's own four.
    registry.registerMetric(metric as unknown as Metric)
  }

  observe(row: LabelValue | undefined, seconds: number): void {
    const place = this.#rows.placeOf(row)
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1
    const index = place * (bounds.length + 1) + bucket
    this.#counts[index] = (this.#counts[index] as number) + 1
    this.#sums[place] = (this.#sums[place] as number) + seconds
  }

  #samples(name: string): Sample[] {
    const { label, values } = this.#rows
    return values.flatMap((value, place) => {
      const labels = { [label]: value }
      let count = 0
      const buckets = [...this.#bounds, '+Inf'].map((le, bucket) => {
        count += this.#counts[place * (this.#bounds.length + 1) + bucket] as number
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
      })
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: this.#sums[place] as number },
        { metricName: `${name}_count`, labels, value: count },
      ]
    })
  }
}
