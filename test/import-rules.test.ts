import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }

interface Rule {
  /** A folder, or one file. */
  of: string
  /** What it may import besides itself. */
  may: readonly string[]
  packages?: readonly string[]
  /** Which of Node's own modules; all of them if not said. */
  builtins?: readonly string[]
}

/** Who may import whom. The domain knows nothing of the rest; what serves it knows the domain; one file wires them together. */
const RULES: readonly Rule[] = [
  { of: 'src/domain', may: [], builtins: ['node:crypto', 'node:zlib'] },
  { of: 'src/files', may: ['src/domain'] },
  { of: 'src/sql', may: ['src/domain'] },
  { of: 'src/sqlite', may: ['src/domain', 'src/files', 'src/sql'] },
  { of: 'src/postgres', may: ['src/domain', 'src/sql'], packages: ['pg'] },
  { of: 'src/redis', may: ['src/domain', 'src/memory'], packages: ['ioredis', 'lru-cache'] },
  { of: 'src/memory', may: ['src/domain'], packages: ['lru-cache'] },
  {
    of: 'src/http',
    may: ['src/domain'],
    packages: ['@scalar/fastify-api-reference', 'ipaddr.js', 'pino', 'typebox'],
  },
  { of: 'src/guides', may: ['src/http'], packages: ['highlight.js', 'marked', 'minisearch'] },
  { of: 'src/public', may: ['src/domain', 'src/guides', 'src/http'], packages: ['ipaddr.js', 'lru-cache', 'typebox'] },
  {
    of: 'src/operator',
    may: ['src/domain', 'src/http', 'src/views.ts'],
    packages: ['typebox'],
  },
  { of: 'src/metrics', may: ['src/domain', 'src/http'], packages: ['prom-client'] },
  { of: 'src/command-name.ts', may: [] },
  { of: 'src/log.ts', may: ['src/domain'], packages: ['pino'] },
  { of: 'src/repeat.ts', may: [] },
  { of: 'src/views.ts', may: ['src/domain'] },
  { of: 'src/store-files.ts', may: ['src/config.ts', 'src/domain', 'src/sqlite'] },
  {
    of: 'src/open-pet-transfer.ts',
    may: ['src/config.ts', 'src/domain', 'src/postgres/pet-transfer.ts', 'src/sqlite'],
  },
  { of: 'src/store-move', may: ['src/domain', 'src/postgres/store-target.ts', 'src/sql', 'src/sqlite'] },
  {
    of: 'src/doctor',
    may: [
      'package.json',
      'src/command-name.ts',
      'src/config.ts',
      'src/domain',
      'src/postgres/inspect.ts',
      'src/redis/connection.ts',
      'src/redis/inspect.ts',
      'src/sqlite',
    ],
  },
  {
    of: 'src/pet-files',
    may: ['src/domain', 'src/http/json.ts', 'src/http/exact-json.ts', 'src/http/new-pet.ts'],
    packages: ['csv-parse', 'csv-stringify'],
  },
  { of: 'src/config.ts', may: ['src/domain'], packages: ['ipaddr.js'] },
  { of: 'src/open-store.ts', may: ['src/config.ts', 'src/domain', 'src/postgres/store.ts', 'src/sqlite'] },
  { of: 'src/open-limiters.ts', may: ['src/config.ts', 'src/domain', 'src/memory', 'src/redis/limiters.ts'] },
  {
    of: 'src/service.ts',
    may: [
      'package.json',
      'src/config.ts',
      'src/domain',
      'src/http',
      'src/log.ts',
      'src/memory',
      'src/metrics',
      'src/open-limiters.ts',
      'src/open-store.ts',
      'src/operator',
      'src/public',
      'src/repeat.ts',
    ],
  },
  {
    of: 'src/cli',
    may: [
      'package.json',
      'src/command-name.ts',
      'src/config.ts',
      'src/doctor',
      'src/domain',
      'src/files',
      'src/http/exact-json.ts',
      'src/http/new-pet.ts',
      'src/log.ts',
      'src/open-pet-transfer.ts',
      'src/open-store.ts',
      'src/pet-files',
      'src/service.ts',
      'src/store-files.ts',
      'src/store-move',
      'src/views.ts',
    ],
    packages: ['commander'],
  },
  { of: 'bin', may: ['src/cli'] },
  // It runs where there is no Node.
  { of: 'client/src', may: [], builtins: [] },
]

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const files = globSync('{src,bin,client/src}/**/*.ts', { cwd: ROOT })
  .map(file => file.replaceAll('\\', '/'))
  .filter(file => !/\.(test|contract)\.ts$/.test(file))

for (const rule of RULES) {
  test(`${rule.of} imports ${rule.may.join(', ') || 'nothing of the rest'}`, () => {
    const own = files.filter(file => isWithin(file, rule.of))
    assert.ok(own.length > 0, `there is ${rule.of}`)
    const forbidden = own.flatMap(file =>
      importsOf(readFileSync(ROOT + file, 'utf8'))
        .filter(specifier => !isAllowed(rule, file, specifier))
        .map(specifier => `${file} imports ${specifier}`),
    )
    assert.deepEqual(forbidden, [])
  })
}

test('every source file is under one of the rules', () => {
  const free = files.filter(file => RULES.filter(({ of }) => isWithin(file, of)).length !== 1)
  assert.deepEqual(free, [])
})

test('every package that the service imports is one of its dependencies', () => {
  const packages = new Set(RULES.flatMap(rule => rule.packages ?? []))
  const missing = [...packages].filter(name => !Object.hasOwn(manifest.dependencies, name))
  assert.deepEqual(missing, [])
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

/** What a source file imports. An import whose name is computed could be anything, and is allowed nowhere. */
function importsOf(source: string): string[] {
  const statements = source.matchAll(/^\s*(?:import|export)\b(?:[^'";()]*?\bfrom)?\s*(['"])(.+?)\1/gm)
  const calls = source.matchAll(/\bimport\(\s*(?:(['"])(.+?)\1)?/g)
  return [...statements, ...calls].map(match => match[2] ?? '(computed)')
}

function isAllowed(rule: Rule, file: string, specifier: string): boolean {
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier)
    return [rule.of, ...rule.may].some(place => isWithin(target, place))
  }
  if (isBuiltin(specifier)) return rule.builtins?.includes(specifier) ?? specifier.startsWith('node:')
  return (rule.packages ?? []).some(name => specifier === name || specifier.startsWith(`${name}/`))
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`)
}
