import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { type Figure, formatNumber } from './figure.ts'

/**
 * The ratios of the last recorded run on each processor, by name. Speeds are not comparable between machines, and ratios only between machines with
 * the same processor: some suit Bun better than Node, for example.
 */
const FILE = new URL('recorded-ratios.json', import.meta.url)

/** A smaller loss may be chance. */
const LOSS = 0.1

type Ratios = Readonly<Record<string, number>>

const PROCESSOR = cpus()[0]?.model.trim() ?? 'unknown'

/**
 * Returns a sentence for each ratio that is more than a tenth below the recorded one.
 * @param recorded the ratios of this processor. If there are none, nothing can be compared; a sentence says so.
 */
export function losses(figures: readonly Figure[], recorded: Ratios | undefined): string[] {
  if (!recorded) return [`No ratios are recorded for this processor (${PROCESSOR}). Record a run with --record.`]
  return ratiosOf(figures).flatMap(({ name, median }) => {
    const before = recorded[nameOf(name)]
    const hasFallen = before !== undefined && median < before * (1 - LOSS)
    return hasFallen ? [`${name} fell from ${formatNumber(before)} to ${formatNumber(median)}.`] : []
  })
}

export function recordRatios(figures: readonly Figure[]): void {
  const ratios = ratiosOf(figures).map(({ name, median }) => [nameOf(name), Number(median.toPrecision(3))])
  const ofProcessor = { ...recordedHere(), ...Object.fromEntries(ratios) }
  writeFileSync(FILE, `${JSON.stringify({ ...recordedRatios(), [PROCESSOR]: ofProcessor }, null, 2)}\n`)
}

function ratiosOf(figures: readonly Figure[]): readonly Figure[] {
  return figures.filter(({ unit, doubt }) => unit === 'ratio' && doubt === undefined)
}

/** Removes the name of the best peer, which may differ from run to run. */
function nameOf(name: string): string {
  return name.replace(/ \(.*\)$/, '')
}

/** The ratios that were recorded on this processor. */
export function recordedHere(): Ratios | undefined {
  return recordedRatios()[PROCESSOR]
}

function recordedRatios(): Readonly<Record<string, Ratios>> {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}
