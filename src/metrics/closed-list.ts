export type LabelValue = string | number

/**
 * The values that a label may have. Whatever else comes is the one value that stands for the rest, so that no sender can make
 * Prometheus keep ever more series.
 */
export class ClosedList {
  readonly label: string
  readonly values: readonly LabelValue[]
  /** How many of the values, the first ones, are expected; the value for the rest need not be among them. */
  readonly expected: number
  readonly #places: ReadonlyMap<LabelValue | undefined, number>
  readonly #restPlace: number

  constructor(label: string, expected: readonly LabelValue[], rest: string) {
    const values = new Set(expected)
    this.label = label
    this.expected = values.size
    this.values = [...values.add(rest)]
    this.#places = new Map(this.values.map((value, place) => [value, place]))
    this.#restPlace = this.values.indexOf(rest)
  }

  /** Where a value stands in `values`. */
  placeOf(value: LabelValue | undefined): number {
    return this.#places.get(value) ?? this.#restPlace
  }
}
