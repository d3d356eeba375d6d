import assert from 'node:assert/strict'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'

/** This machine lacks something: root, a program, a kind of file system. */
export class NotPossible extends Error {}

/** Skips a test, with a warning, if a program is not installed. If everything must be tested (`CI=true`), it fails instead. */
export function needs(t: TestContext, program: string): boolean {
  return findProgram(program) !== undefined || skip(t, `${program} is not installed`)
}

/** Skips a test, with a warning; if everything must be tested, it fails instead. */
export function skip(t: TestContext, message: string): false {
  assert.notEqual(process.env.CI, 'true', message)
  console.error(`SKIPPED: ${t.name}: ${message}`)
  t.skip(message)
  return false
}

/** The location of a program in PATH. */
export function findProgram(program: string): string | undefined {
  const files = (process.env.PATH ?? '').split(delimiter).map(folder => join(folder, program))
  return files.find(file => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
