import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildWheel, packClient, packContainerContext, packProgram } from './artifacts.ts'
import { bundle } from './bundle.ts'
import { releaseNotes } from './changelog.ts'
import { thirdPartyNotices } from './notices.ts'
import { ROOT, releaseTime, run, VERSION } from './repository.ts'
import { PLATFORMS } from './runtimes.ts'
import { billOfMaterials } from './sbom.ts'

/**
 * Builds everything that a release consists of:
 *
 *     npm run release                             npm run release -- --platform linux-x64 --out FOLDER
 */

const { values } = parseArgs({
  options: { platform: { type: 'string', multiple: true }, out: { type: 'string', default: join(ROOT, 'dist') } },
})
const platforms = PLATFORMS.filter(({ name }) => values.platform?.includes(name) ?? true)
if (platforms.length < (values.platform?.length ?? 1)) {
  console.error(`error: --platform must be one of ${PLATFORMS.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}
if (run('git', 'status', '--porcelain') !== '')
  console.error('warning: The release contains changes that are not committed.')
const notes = releaseNotes(VERSION)
const time = releaseTime()

const out = resolve(values.out)
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'petstore-release-'))
try {
  const app = join(work, 'app')
  const packages = await bundle(app)
  const notices = thirdPartyNotices(packages)
  for (const platform of platforms) {
    const name = `petstore-${VERSION}-${platform.name}`
    console.log(`Packing ${name} …`)
    const { type, bytes } = await packProgram({ platform, name, app, notices, time, work })
    write(`${name}.${type}`, bytes)
  }
  write(`petstore-${VERSION}-container.tar.gz`, await packContainerContext(time, work))
  write(`petstore-client-${VERSION}.tgz`, await packClient(time, work))
  if (existsSync(join(ROOT, 'clients/python'))) {
    const { name, bytes } = buildWheel(time, work)
    write(name, bytes)
  }
  write(`petstore-${VERSION}.cdx.json`, billOfMaterials(time))
  write('RELEASE-NOTES.md', notes)
  write('SHA256SUMS', sums())
} finally {
  rmSync(work, { recursive: true, force: true })
}
console.log(readFileSync(join(out, 'SHA256SUMS'), 'utf8').trimEnd())

function write(name: string, content: Uint8Array | string): void {
  writeFileSync(join(out, name), content)
}

/** For `sha256sum --check`. */
function sums(): string {
  const lines = readdirSync(out)
    .toSorted()
    .map(
      file =>
        `${createHash('sha256')
          .update(readFileSync(join(out, file)))
          .digest('hex')}  ${file}\n`,
    )
  return lines.join('')
}
