import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// All styles behind the sign-in are one file, so a class that two of the sources define would have the rules of both.

const STYLES = join(import.meta.dirname, '../../console/src')
/** A list of selectors, not a rule such as @media. */
const SELECTORS = /(?<=^|[{};])\s*([^{};@]+)\{/g

test('each class of the console is defined in one file', () => {
  const files = globSync('**/*.css', { cwd: STYLES })
  assert.ok(files.length > 20)
  const classes = files.flatMap(file => [...new Set(classesIn(readFileSync(join(STYLES, file), 'utf8')))])
  assert.deepEqual(
    classes.filter((name, index) => classes.indexOf(name) !== index),
    [],
  )
})

/** The classes that have rules of their own: `.name`, alone. */
function classesIn(css: string): string[] {
  const rules = css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(SELECTORS)
  const selectors = [...rules].flatMap(([, list = '']) => list.split(',').map(one => one.trim()))
  return selectors.filter(one => /^\.[\w-]+$/.test(one))
}
