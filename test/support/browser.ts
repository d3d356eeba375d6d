import { existsSync } from 'node:fs'
import type { TestOptions } from 'node:test'

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const CHROMIUM_ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Without a browser these tests are skipped, for all to see; where the project is released they fail instead. */
export function inBrowser(file: string): TestOptions {
  const timeout = 60_000
  if (existsSync(CHROMIUM) || process.env.CI === 'true') return { timeout }
  const skip = `NOT TESTED: there is no Chromium at ${CHROMIUM}. Install it, or set CHROMIUM to its path.`
  console.error(`${file}: ${skip}`)
  return { timeout, skip }
}
