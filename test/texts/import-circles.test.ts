import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { importsOf } from './imports.ts'

// No file imports itself by way of others, not even for a type or late: what two files share is in a third, or in the one that is used.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = '{bench,bin,client,console,release,site,src,test,tools}/**/*.{js,ts,tsx}'

test('no files import each other in a circle', () => {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: ['**/{node_modules,dist}/**'] })
  assert.ok(files.length > 1_000, `${files.length} files`)
  const imports = new Map(files.map(file => [file, importedBy(file)]))
  assert.deepEqual(circlesIn(imports), [])
})

test('a circle is seen, whatever leads to it', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['d']],
    ['d', ['b', 'elsewhere']],
    ['e', ['e']],
  ])
  assert.deepEqual(circlesIn(imports), ['b → c → d → b', 'e → e'])
  assert.deepEqual(
    circlesIn(
      new Map([
        ['a', ['b', 'c']],
        ['b', ['c']],
        ['c', []],
      ]),
    ),
    [],
  )
})

test('every form of import is seen', () => {
  const source = `
    import a from './a.ts'
    import type { B } from "./b.ts"
    import {
      c,
    } from './c.ts'
    import './d.ts'
    export { e } from './e.ts'
    export * from './f.ts'
    const g = await import('./g.ts')
    type H = import('./h.ts').H
    const i = import(name)
    import j, * as k from './j.ts'`
  const seen = ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts', './g.ts', './h.ts', '(computed)', './j.ts']
  assert.deepEqual(importsOf(source).toSorted(), seen.toSorted())
})

function importedBy(file: string): string[] {
  return importsOf(readFileSync(ROOT + file, 'utf8'))
    .filter(specifier => specifier.startsWith('.'))
    .map(specifier => posix.join(posix.dirname(file), specifier))
}

/** Imports that lead back to a file on the way to them, with that way: at least one if there is any. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  function follow(file: string, way: readonly string[]): void {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '))
    if (done.has(file) || way.includes(file)) return
    for (const imported of imports.get(file) ?? []) follow(imported, [...way, file])
    done.add(file)
  }
  for (const file of imports.keys()) follow(file, [])
  return circles
}
