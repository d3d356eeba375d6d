import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'

// Every export of a console file is used by another file.

const ROOT = new URL('../../', import.meta.url)
const sources = readAll('console/src/')
const users = [...sources, ...readAll('test/'), ...readAll('bench/'), ...readAll('docs/images/')]

test('everything that a file of the console exports is used by another one', () => {
  const unused = sources.flatMap(({ path, text }) => {
    const importers = users.filter(other => other.path !== path && other.text.includes(`/${basename(path)}'`))
    return exportsOf(text)
      .filter(name => !importers.some(other => new RegExp(`\\b${name}\\b`).test(other.text)))
      .map(name => `${path}: ${name}`)
  })
  assert.deepEqual(unused, [])
})

function exportsOf(text: string): string[] {
  const declarations = text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)
  return [...declarations].map(([, name = '']) => name)
}

function readAll(folder: string): { path: string; text: string }[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter(path => /\.tsx?$/.test(path))
    .map(path => ({ path: folder + path, text: readFileSync(new URL(folder + path, ROOT), 'utf8') }))
}
