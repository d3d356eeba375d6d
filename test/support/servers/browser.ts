import { existsSync } from 'node:fs'
import type { TestOptions } from 'node:test'

/** The full browser, and the headless shell, in which tests take two thirds of the CPU time. */
const WHOLE = '/usr/bin/chromium'
const SHELL = '/usr/bin/chromium-headless-shell'

export const CHROMIUM = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : WHOLE)
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

/** Tests in a browser are skipped where there is none. */
export const IN_BROWSER: TestOptions = {
  skip: existsSync(CHROMIUM) ? false : `there is no Chromium at ${CHROMIUM}; install it, or set CHROMIUM to its path`,
}

/** As fast as people press keys. Without it, letters come as from a scanner. */
export const BY_HAND = { delay: 60 }
