import assert from 'node:assert/strict'
import type { Answer } from './raw.ts'

/** The caller's limits, as an answer reports them. */
export interface Rate {
  limit: number
  remaining: number
  /** Unix seconds. */
  reset: number
  windows: Record<string, RateWindow>
}

export interface RateWindow {
  quota: number
  lengthSeconds: number
  remaining: number
  secondsToReset: number
}

/** Reads the five headers about limits; each must be there once and well formed. */
export function readRate(answer: Answer): Rate {
  const policies = parseItems(only(answer, 'RateLimit-Policy'), /^"([a-z]+)";q=([0-9]+);w=([0-9]+)$/)
  const states = parseItems(only(answer, 'RateLimit'), /^"([a-z]+)";r=([0-9]+);t=([0-9]+)$/)
  assert.deepEqual(
    states.map(([name]) => name),
    policies.map(([name]) => name),
    'RateLimit and RateLimit-Policy name the same windows in the same order',
  )
  const windows = policies.map(([name, quota, lengthSeconds], index): [string, RateWindow] => [
    name,
    { quota, lengthSeconds, remaining: states[index]?.[1] ?? 0, secondsToReset: states[index]?.[2] ?? 0 },
  ])
  return {
    limit: integer(answer, 'X-RateLimit-Limit'),
    remaining: integer(answer, 'X-RateLimit-Remaining'),
    reset: integer(answer, 'X-RateLimit-Reset'),
    windows: Object.fromEntries(windows),
  }
}

function integer(answer: Answer, name: string): number {
  const value = only(answer, name)
  assert.match(value, /^(?:0|[1-9][0-9]*)$/, name)
  return Number(value)
}

/** The value of a header, which must be in the answer exactly once. */
export function only(answer: Answer, name: string): string {
  const values = answer.all(name)
  assert.equal(values.length, 1, `exactly one ${name} in ${answer.status} ${JSON.stringify(answer.headers)}`)
  return values[0] ?? ''
}

function parseItems(list: string, item: RegExp): [name: string, number, number][] {
  return list.split(', ').map(text => {
    const parts = item.exec(text)
    assert.ok(parts, `${text} in ${list}`)
    return [parts[1] ?? '', Number(parts[2]), Number(parts[3])]
  })
}
