import { execFileSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import type { Language } from '../../samples/read-samples.ts'
import { PYTHON } from '../../samples/run-samples.ts'
import { needs, skip } from './needs.ts'

/** Skips a test, with a warning, if samples in a language cannot be run. */
export function canRun(t: TestContext, language: Language): boolean {
  if (language === 'sh') return needs(t, 'curl')
  return language === 'ts' || hasRequests() || skip(t, `requests is not installed for ${PYTHON}`)
}

function hasRequests(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'import requests'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
