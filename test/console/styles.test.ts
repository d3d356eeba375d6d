import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// All styles behind the sign-in are one file, so a class that two of the sources define would have the rules of both.

const STYLES = join(import.meta.dirname, '../../console/src')
/** The beginning of a rule, with its selectors or as an at-rule, or the end of one. */
const BEGIN_OR_END = /(?<=^|[{};])\s*([^{};]+)\{|\}/g

test('each class of the console is defined in one file', () => {
  const files = globSync('**/*.css', { cwd: STYLES })
  assert.ok(files.length > 20)
  const classes = files.flatMap(file => [...new Set(classesIn(readFileSync(join(STYLES, file), 'utf8')))])
  assert.deepEqual(
    classes.filter((name, index) => classes.indexOf(name) !== index),
    [],
  )
})

/** The classes that have rules of their own: `.name`, alone, and not within the rule of something else. */
function classesIn(css: string): string[] {
  const open: string[] = []
  return [...css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(BEGIN_OR_END)].flatMap(([, begun]) => {
    if (begun === undefined) {
      open.pop()
      return []
    }
    const isNested = open.some(outer => !outer.startsWith('@'))
    open.push(begun.trim())
    const selectors = isNested ? [] : begun.split(',').map(one => one.trim())
    return selectors.filter(one => /^\.[\w-]+$/.test(one))
  })
}
