import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packProgram, packReleasedClients, SETUP } from './artifacts.ts'
import { bundle } from './bundle.ts'
import { releaseNotes } from './changelog.ts'
import { thirdPartyNotices } from './notices.ts'
import { git, IS_CLONE, ROOT, releaseTime, trackedFiles, VERSION } from './repository.ts'
import { PLATFORMS } from './runtimes.ts'
import { billOfMaterials } from './sbom.ts'

/**
 * Builds all files of a release:
 *
 *     npm run release                             npm run release -- --platform linux-x64 --out FOLDER
 */

const DEFAULT_OUT = join(ROOT, 'dist')

const { values } = parseArgs({
  options: { platform: { type: 'string', multiple: true }, out: { type: 'string', default: DEFAULT_OUT } },
})
const names = PLATFORMS.map(({ name }) => name)
const unknown = values.platform?.find(name => !names.includes(name))
if (unknown !== undefined) fail(`Unknown platform "${unknown}"; --platform must be one of ${names.join(', ')}.`)
const platforms = PLATFORMS.filter(({ name }) => values.platform?.includes(name) ?? true)
const out = resolve(values.out)
if (out !== DEFAULT_OUT && existsSync(out) && readdirSync(out).length > 0) fail(`The folder ${out} is not empty.`)
if (IS_CLONE && git('status', '--porcelain') !== '') {
  console.error(
    'warning: There are uncommitted changes. The release includes changes to tracked files, but no untracked files.',
  )
}
const notes = releaseNotes(VERSION)
const time = releaseTime()

const work = mkdtempSync(join(tmpdir(), 'petstore-release-'))
/** Files are built here first, so the output folder is never incomplete. */
const dist = join(work, 'dist')
mkdirSync(dist)
try {
  const app = join(work, 'app')
  const tracked = new Set(trackedFiles())
  const isBuilt = (file: string) => /^(console\/dist\/(index\.html$|assets\/)|site\/dist\/)/.test(file)
  const packages = await bundle(app, file => isBuilt(file) || tracked.has(file))
  const notices = thirdPartyNotices(packages)
  const clients = await packReleasedClients()
  for (const platform of platforms) {
    const name = `petstore-${VERSION}-${platform.name}`
    console.log(`Packing ${name} …`)
    const { type, bytes } = await packProgram({ platform, name, app, notices, clients, time, work })
    write(`${name}.${type}`, bytes)
  }
  for (const { name, content } of clients) write(name, content)
  write(`petstore-${VERSION}.cdx.json`, billOfMaterials(time, packages))
  for (const script of SETUP.names) write(script, readFileSync(join(ROOT, SETUP.file)))
  write('RELEASE-NOTES.md', notes)
  write('SHA256SUMS', sums())
  rmSync(out, { recursive: true, force: true })
  cpSync(dist, out, { recursive: true })
} finally {
  rmSync(work, { recursive: true, force: true })
}
console.log(readFileSync(join(out, 'SHA256SUMS'), 'utf8').trimEnd())

function write(name: string, content: Uint8Array | string): void {
  writeFileSync(join(dist, name), content)
}

/** For `sha256sum --check`. */
function sums(): string {
  const digest = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(dist, file)))
      .digest('hex')
  return readdirSync(dist)
    .toSorted()
    .map(file => `${digest(file)}  ${file}\n`)
    .join('')
}

function fail(message: string): never {
  console.error(`error: ${message}`)
  process.exit(2)
}
