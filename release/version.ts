import { globSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ROOT, read, toPython } from './repository.ts'

/** A place that names the version, other than the package.json files and the lock file. */
export interface Mention {
  file: string
  text: string
  version: string
  /** In the form that Python uses. */
  isPython: boolean
}

/** Documents and deployment files name files, images and headers with this version. */
const TEXTS = ['{client,clients/*}/README.md', 'docs/!(contract|releasing).md', 'docs/guides/*.md', 'deploy/**/*']
const IN_TEXTS =
  /(?:\bpetstore:|\bpetstore[-_]client(?:-js\/|-python\/|-)|\bpetstore-|\bnewTag: )(\d+\.\d+\.\d+(?:-dev|\.dev0)?)\b/g
/** Clients send their version. */
const SOURCES = ['client/src/*.ts', 'clients/python/src/**/*.py']
const IN_SOURCES = /\b(?:__version__|VERSION) = '(\d+\.\d+\.\d+(?:-dev|\.dev0)?)'/g

export function versionMentions(): Mention[] {
  return places().flatMap(([file, pattern]) =>
    [...read(file).matchAll(pattern)].map(([text, version = '']) => ({
      file,
      text,
      version,
      isPython: isPython(text),
    })),
  )
}

/** Sets the version everywhere in the repository. In the changelog, a release adds only the dated heading of the section. */
export function setVersion(version: string, date: string): void {
  setPackages(version)
  for (const [file, pattern] of places()) {
    const text = read(file)
    const changed = text.replaceAll(pattern, (mention, old) =>
      mention.replace(old, isPython(mention) ? toPython(version) : version),
    )
    if (changed !== text) writeFileSync(join(ROOT, file), changed)
  }
  const changelog = read('CHANGELOG.md')
  if (!version.endsWith('-dev') && !changelog.includes(`\n## ${version} - `)) {
    const heading = `## Unreleased\n\n## ${version} - ${date}\n`
    writeFileSync(join(ROOT, 'CHANGELOG.md'), changelog.replace('## Unreleased\n', heading))
  }
}

/** As `npm version` does, which would also resolve all packages, for each workspace. */
function setPackages(version: string): void {
  const lock = JSON.parse(read('package-lock.json'))
  for (const folder of Object.keys(lock.packages).filter(path => !path.includes('node_modules/'))) {
    lock.packages[folder].version = version
    const file = join(folder, 'package.json')
    writeFileSync(join(ROOT, file), read(file).replace(/(?<="version": ")[^"]+/, version))
  }
  writeFileSync(join(ROOT, 'package-lock.json'), `${JSON.stringify({ ...lock, version }, null, 2)}\n`)
}

function isPython(mention: string): boolean {
  return /petstore_client|petstore-client-python|__version__/.test(mention)
}

function places(): (readonly [file: string, pattern: RegExp])[] {
  const find = (patterns: readonly string[]) =>
    globSync(patterns, { cwd: ROOT, withFileTypes: true, exclude: ['**/node_modules'] })
      .filter(entry => entry.isFile())
      .map(entry => relative(ROOT, join(entry.parentPath, entry.name)))
      .toSorted()
  return [
    ...find(TEXTS).map(file => [file, IN_TEXTS] as const),
    ...find(SOURCES).map(file => [file, IN_SOURCES] as const),
  ]
}
