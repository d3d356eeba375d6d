import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { importsOf } from './imports.ts'

interface Rule {
  /** A folder, or one file. */
  of: string
  /** What it may import in addition to itself. */
  may: readonly string[]
  packages?: readonly string[]
  /** Which of Node's own modules; all of them by default. */
  builtins?: readonly string[]
}

/**
 * Which folder may import which. The domain imports none of the others; technologies import the domain; the two APIs do not import each other; `app`
 * wires them.
 */
const RULES: readonly Rule[] = [
  { of: 'src/domain', may: [], packages: ['ipaddr.js', 'leven'], builtins: ['node:crypto', 'node:util', 'node:zlib'] },
  { of: 'src/schema', may: ['src/domain'] },
  { of: 'src/files', may: ['src/domain'] },
  { of: 'src/tls', may: ['src/domain'] },
  { of: 'src/sql', may: ['src/domain'] },
  { of: 'src/sqlite', may: ['src/domain', 'src/files', 'src/sql'] },
  { of: 'src/postgres', may: ['src/domain', 'src/sql'], packages: ['pg'] },
  { of: 'src/memory', may: ['src/domain'], packages: ['lru-cache'] },
  { of: 'src/redis', may: ['src/domain', 'src/memory'], packages: ['ioredis', 'lru-cache'] },
  // It knows no quotas, operators or animals: each API adds its own part to a call.
  {
    of: 'src/http',
    may: [
      'src/domain/errors.ts',
      'src/domain/listening-host.ts',
      'src/domain/secret-forms.ts',
      'src/domain/untrusted-text.ts',
      'src/domain/overload.ts',
      'src/domain/silence.ts',
      'src/schema/error-codes.ts',
      'src/schema/invalid-input.ts',
      'src/schema/json.ts',
      'src/schema/limits.ts',
      'src/tls/listener-settings.ts',
    ],
    packages: ['ipaddr.js', 'pino'],
  },
  { of: 'src/pages', may: ['src/domain/shell-quote.ts', 'src/http'] },
  {
    of: 'src/public',
    may: ['src/domain', 'src/http', 'src/pages', 'src/schema'],
    packages: ['lru-cache'],
  },
  {
    of: 'src/operator',
    may: ['src/domain', 'src/http', 'src/pages', 'src/schema'],
    packages: ['lru-cache'],
  },
  { of: 'src/metrics', may: ['src/domain', 'src/http', 'src/schema'], packages: ['@prometheus-io/client'] },
  { of: 'src/pet-files', may: ['src/domain', 'src/schema'], packages: ['sax', 'yauzl', 'yazl'] },
  {
    of: 'src/app',
    may: [
      'package.json',
      'src/domain',
      'src/files',
      'src/http',
      'src/memory',
      'src/metrics',
      'src/operator',
      'src/pages',
      'src/pet-files',
      'src/postgres',
      'src/public',
      'src/redis/connection.ts',
      'src/redis/driver-options.ts',
      'src/redis/inspect.ts',
      'src/redis/limiters.ts',
      'src/redis/scripts.ts',
      'src/redis/trial.ts',
      'src/sql',
      'src/sqlite',
      'src/tls',
    ],
    packages: ['ipaddr.js', 'leven', 'pino'],
  },
  {
    of: 'src/cli',
    may: ['package.json', 'src/app', 'src/domain', 'src/files', 'src/pet-files', 'src/schema'],
    packages: ['commander'],
  },
  { of: 'bin', may: ['src/cli'] },
  // It runs before the service, which never imports it.
  {
    of: 'site',
    may: [
      'src/domain/deployment.ts',
      'src/domain/shell-quote.ts',
      'src/operator',
      'src/pages',
      'src/public/openapi.ts',
      'src/schema',
    ],
    packages: ['fflate', 'highlight.js', 'marked', 'minisearch', 'modern-tar', 'vite'],
  },
  // It runs where there is no Node.
  { of: 'client/src', may: [], builtins: [] },
]

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ARCHITECTURE = readFileSync(`${ROOT}ARCHITECTURE.md`, 'utf8')
// The other files in bin prepare an installation.
const files = globSync(['{src,client/src,site}/**/*.ts', 'bin/main.js'], { cwd: ROOT })
  .map(file => file.replaceAll('\\', '/'))
  .filter(file => !/\.(test|contract)\.ts$/.test(file))

for (const rule of RULES) {
  test(`${rule.of} imports ${rule.may.join(', ') || 'none of the others'}`, () => {
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

test('the console imports the colours, files of the domain, and of the schemas only types', () => {
  const imports = /^import (?!type\b)(?:[^'";]*\bfrom )?'((?:\.\.\/)+src\/[^']+)'/gm
  const imported = globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT }).flatMap(file =>
    [...readFileSync(ROOT + file, 'utf8').matchAll(imports)].map(([, path = '']) =>
      posix.join(posix.dirname(file), path),
    ),
  )
  assert.deepEqual(
    imported.filter(path => !path.startsWith('src/domain/')),
    ['src/pages/assets/colours.css'],
  )
})

test('every package that the service imports is one of its dependencies', () => {
  const packages = new Set(RULES.filter(({ of }) => of !== 'site').flatMap(rule => rule.packages ?? []))
  const missing = [...packages].filter(name => !Object.hasOwn(manifest.dependencies, name))
  assert.deepEqual(missing, [])
})

test("ARCHITECTURE.md's picture has an arrow, or a way along arrows, for each allowed import, and no other", () => {
  const drawn = arrowsOf(ARCHITECTURE)
  const allowed = RULES.flatMap(({ of, may }) => may.map(place => [folderOf(of), folderOf(place)] as const)).filter(
    ([from, to]) => from !== to && from !== 'client' && to !== 'package.json',
  )
  const undrawn = allowed.filter(([from, to]) => !leadsTo(drawn, from, to))
  const unallowed = drawn.filter(([from, to]) => !allowed.some(rule => rule[0] === from && rule[1] === to))
  assert.deepEqual({ undrawn, unallowed }, { undrawn: [], unallowed: [] })
  assert.ok(!leadsTo(drawn, 'domain', 'cli'), 'nothing leads back up')
})

test('every path that ARCHITECTURE.md names exists', () => {
  const paths = [...ARCHITECTURE.matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\/|\.(?:tsx?|lua|md)))`/g)].map(
    match => match[1] as string,
  )
  assert.ok(paths.length > 50)
  assert.deepEqual(
    paths.filter(path => !['src/', 'console/src/', ''].some(folder => existsSync(ROOT + folder + path))),
    [],
  )
})

function isAllowed(rule: Rule, file: string, specifier: string): boolean {
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier)
    return [rule.of, ...rule.may].some(place => isWithin(target, place))
  }
  if (isBuiltin(specifier)) return rule.builtins?.includes(specifier) ?? specifier.startsWith('node:')
  return (rule.packages ?? []).some(name => specifier === name || specifier.startsWith(`${name}/`))
}

/** The arrows of a Mermaid flowchart, by the names of what they join. */
function arrowsOf(markdown: string): (readonly [from: string, to: string])[] {
  return [...markdown.matchAll(/^ +([\w-]+)(?:\[.*?\])? --> ([\w-]+)/gm)].map(([, from = '', to = '']) => [from, to])
}

function leadsTo(arrows: readonly (readonly [string, string])[], from: string, to: string): boolean {
  return arrows.some(([start, end]) => start === from && (end === to || leadsTo(arrows, end, to)))
}

/** The name of a node in the picture: a folder of src, or of the repository. */
function folderOf(place: string): string {
  return place.split('/')[place.startsWith('src/') ? 1 : 0] as string
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`)
}
