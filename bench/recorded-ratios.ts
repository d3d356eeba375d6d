import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Figure, formatNumber } from './figure.ts'

/** The ratios of the last recorded run, by name. Only ratios are comparable between machines. */
const FILE = new URL('recorded-ratios.json', import.meta.url)

/** A smaller loss may be chance. */
const LOSS = 0.1

/** @returns a sentence for each ratio that is more than a tenth below the recorded one */
export function losses(figures: readonly Figure[], recorded = recordedRatios()): string[] {
  return ratiosOf(figures).flatMap(({ name, median }) => {
    const before = recorded[nameOf(name)]
    const hasFallen = before !== undefined && median < before * (1 - LOSS)
    return hasFallen ? [`${name} fell from ${formatNumber(before)} to ${formatNumber(median)}.`] : []
  })
}

export function recordRatios(figures: readonly Figure[]): void {
  const ratios = ratiosOf(figures).map(({ name, median }) => [nameOf(name), Number(median.toPrecision(3))])
  writeFileSync(FILE, `${JSON.stringify({ ...recordedRatios(), ...Object.fromEntries(ratios) }, null, 2)}\n`)
}

function ratiosOf(figures: readonly Figure[]): readonly Figure[] {
  return figures.filter(({ unit, doubt }) => unit === 'ratio' && doubt === undefined)
}

/** Removes the name of the best peer, which may differ from run to run. */
function nameOf(name: string): string {
  return name.replace(/ \(.*\)$/, '')
}

function recordedRatios(): Record<string, number> {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
}
