import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import manifest from '../package.json' with { type: 'json' }
import lock from '../package-lock.json' with { type: 'json' }
import { run } from './repository.ts'

/** A platform that a release is built for. */
export interface Platform {
  /** As in the name of the archive. */
  name: string
  /** The npm package that has its Node. */
  package: string
  /** The path of Node in that package. */
  program: string
}

const NAMES: Readonly<Record<string, string>> = { darwin: 'macos', win: 'windows' }

/** Every platform whose Node npm can bring: the optional dependencies of the service. */
export const PLATFORMS: readonly Platform[] = Object.keys(manifest.optionalDependencies).flatMap(name => {
  const [, system = '', processor = ''] = /^node-(?:bin-)?(linux|darwin|win)-(\w+)$/.exec(name) ?? []
  if (system === '') return []
  const program = system === 'win' ? 'bin/node.exe' : 'bin/node'
  return [{ name: `${NAMES[system] ?? system}-${processor}`, package: name, program }]
})

/**
 * Writes Node and its licence into a folder.
 * @throws if the package is not, byte for byte, the one in package-lock.json
 */
export async function writeRuntime(platform: Platform, folder: string, downloads: string): Promise<void> {
  const locked = (lock.packages as Record<string, { version?: string; integrity?: string }>)[
    `node_modules/${platform.package}`
  ]
  if (!locked?.integrity) throw new Error(`package-lock.json does not have ${platform.package}.`)
  mkdirSync(downloads, { recursive: true })
  const packed = run('npm', 'pack', `${platform.package}@${locked.version}`, '--json', '--pack-destination', downloads)
  const [{ filename }] = JSON.parse(packed)
  const tarball = readFileSync(join(downloads, filename))
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  if (integrity !== locked.integrity) throw new Error(`${platform.package} is not the package in package-lock.json.`)

  const files = await unpackTar(gunzipSync(tarball), {
    filter: ({ name }) => [`package/${platform.program}`, 'package/LICENSE'].includes(name),
  })
  for (const { header, data } of files) {
    const file = join(folder, header.name.replace(/^package\/(bin\/)?/, ''))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, data ?? '', { mode: header.name.endsWith('LICENSE') ? 0o644 : 0o755 })
  }
  if (files.length !== 2) throw new Error(`${platform.package} must have ${platform.program} and LICENSE.`)
}
