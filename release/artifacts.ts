import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findBuild } from '../src/app/build.ts'
import { pack } from './archive.ts'
import { contextFiles } from './container-context.ts'
import { PYTHON_VERSION, ROOT, run, trackedFiles } from './repository.ts'
import { type Platform, writeRuntime } from './runtimes.ts'

interface Program {
  platform: Platform
  /** The name of the archive, and of the folder in it. */
  name: string
  /** The folder with the bundle. */
  app: string
  notices: string
  time: Date
  /** A folder for temporary files. */
  work: string
}

const PYTHON_CLIENT = 'clients/python'

const DOCUMENTS = [
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'client/README.md',
  'clients/python/README.md',
  'docs/admin-api-by-screen.md',
  'docs/console.md',
  'docs/contract.md',
  'docs/images/soak-descriptors.svg',
  'docs/images/soak-memory.svg',
  'docs/operations.md',
  'docs/releasing.md',
  'docs/reliability.md',
  'docs/scale.md',
  'docs/security.md',
  'openapi.json',
]
/** The scripts that install the archive and upgrade it are one file, which acts according to its name. */
export const SETUP = { file: 'release/files/install.sh', names: ['install.sh', 'upgrade.sh'] } as const

/** Folders that are included because the documents link to them. */
const FOLDERS = ['deploy', 'docs/guides', 'docs/decisions', 'bench']

/** Packs the program for one platform, with everything it needs. */
export async function packProgram({ platform, name, app, notices, time, work }: Program) {
  const folder = join(work, name)
  const isWindows = platform.name.startsWith('windows')
  cpSync(app, join(folder, 'app'), { recursive: true })
  await writeRuntime(platform, join(folder, 'runtime'), join(work, 'downloads'))
  copyDocuments(folder)
  copy('release/files/README.md', join(folder, 'README.md'))
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices)
  await writeBuild(folder, time)
  const launcher = isWindows ? 'petstore.cmd' : 'petstore'
  copy(`release/files/${launcher}`, join(folder, launcher))
  chmodSync(join(folder, launcher), 0o755)
  if (platform.name.startsWith('linux')) {
    for (const script of SETUP.names) copy(SETUP.file, join(folder, script))
  }
  const type = isWindows ? 'zip' : 'tar.gz'
  return { type, bytes: await pack(folder, name, type, time) } as const
}

/** Copies what an operator reads, installs and adapts in addition to the program. */
export function copyDocuments(folder: string): void {
  for (const file of [...DOCUMENTS, ...FOLDERS.flatMap(folder => trackedFiles(folder))]) copy(file, join(folder, file))
  copy('release/files/Dockerfile', join(folder, 'Dockerfile'))
}

/** Packs the input of `docker build -`. */
export async function packContainerContext(time: Date, work: string): Promise<Uint8Array> {
  const folder = join(work, 'container')
  const tracked = new Set(trackedFiles())
  for (const file of contextFiles()) if (tracked.has(file)) copy(file, join(folder, file))
  copy('Dockerfile', join(folder, 'Dockerfile'))
  await writeBuild(folder, time)
  return pack(folder, '', 'tar.gz', time)
}

/** Writes which commit this is, because the package has no git history. */
async function writeBuild(folder: string, time: Date): Promise<void> {
  const { commit } = await findBuild(pathToFileURL(ROOT))
  writeFileSync(join(folder, 'build.json'), `${JSON.stringify({ commit, builtAt: time.toISOString() })}\n`)
}

/** Packs `@petstore/client` for npm. npm only lists the files, because the bytes of its own archive depend on npm's version. */
export async function packClient(time: Date, work: string): Promise<Uint8Array> {
  run('npm', 'run', 'build', '--workspace', 'client')
  const [{ files }] = JSON.parse(run('npm', 'pack', '--workspace', 'client', '--dry-run', '--ignore-scripts', '--json'))
  const folder = join(work, 'client')
  for (const { path } of files) copy(`client/${path}`, join(folder, path))
  return pack(folder, 'package', 'tar.gz', time)
}

/** Builds the Python client for pip. */
export function buildWheel(time: Date, work: string): { name: string; bytes: Uint8Array } {
  const folder = join(work, 'python')
  for (const file of trackedFiles(PYTHON_CLIENT)) copy(file, join(folder, relative(PYTHON_CLIENT, file)))
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(time.getTime() / 1000) }
  const python = findPython()
  if (!python) throw new Error('The wheel needs hatchling: install python3-hatchling, or run "pip install hatchling".')
  execFileSync(python, ['-m', 'hatchling', 'build', '--target', 'wheel'], { cwd: folder, env, stdio: 'pipe' })
  const wheels = globSync('*.whl', { cwd: join(folder, 'dist') })
  const [name = ''] = wheels
  if (wheels.length !== 1 || !name.includes(`-${PYTHON_VERSION}-`)) {
    throw new Error(`Expected one wheel of version ${PYTHON_VERSION}, found: ${wheels.join(', ') || 'none'}`)
  }
  return { name, bytes: readFileSync(join(folder, 'dist', name)) }
}

/** A Python that can build a wheel: the first in the path, or Debian's. */
export function findPython(): string | undefined {
  return ['python3', '/usr/bin/python3'].find(python => spawnSync(python, ['-c', 'import hatchling']).status === 0)
}

function copy(file: string, destination: string): void {
  mkdirSync(dirname(destination), { recursive: true })
  copyFileSync(join(ROOT, file), destination)
}
