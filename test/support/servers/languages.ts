import type { TestContext } from 'node:test'
import type { Language } from '../../samples/read-samples.ts'
import { PYTHON } from '../../samples/run-samples.ts'
import { needs, skip } from './needs.ts'
import { canImport } from './python-client.ts'

/**
 * Skips a test, with a warning, if samples in a language cannot be run.
 * @param module that samples in Python import
 */
export function canRun(t: TestContext, language: Language, module = 'json'): boolean {
  if (language === 'sh') return needs(t, 'curl')
  return language === 'ts' || canImport(module) || skip(t, `${module} is not installed for ${PYTHON}`)
}
