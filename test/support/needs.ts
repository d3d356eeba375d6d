import assert from 'node:assert/strict'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'

/** Skips a test, loudly, where a program is not installed. Where everything must be tested (`CI=true`), it fails instead. */
export function needs(t: TestContext, program: string): boolean {
  if (isInstalled(program)) return true
  const message = `${program} is not installed`
  assert.notEqual(process.env.CI, 'true', message)
  console.error(`SKIPPED: ${t.name}: ${message}`)
  t.skip(message)
  return false
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
