import { chmodSync, copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ClientPackage, packClients } from '../site/clients/client-packages.ts'
import { findBuild } from '../src/app/build.ts'
import { pack } from './archive.ts'
import { git, IS_CLONE, PYTHON_VERSION, ROOT, trackedFiles, VERSION } from './repository.ts'
import { type Platform, writeRuntime } from './runtimes.ts'

interface Program {
  platform: Platform
  /** The name of the archive, and of the folder in it. */
  name: string
  /** The folder with the bundle. */
  app: string
  notices: string
  clients: readonly ClientPackage[]
  time: Date
  /** A folder for temporary files. */
  work: string
}

const DOCUMENTS = [
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'client/README.md',
  'clients/python/README.md',
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
const FOLDERS = ['deploy', 'docs/guides', 'docs/operations']

/** Packs the program for one platform, with everything it needs. */
export async function packProgram({ platform, name, app, notices, clients, time, work }: Program) {
  const folder = join(work, name)
  const isWindows = platform.name.startsWith('windows')
  cpSync(app, join(folder, 'app'), { recursive: true })
  await writeRuntime(platform, join(folder, 'runtime'), join(work, 'downloads'))
  copyDocuments(folder)
  for (const client of clients) writeFileSync(join(folder, 'clients', client.name), client.content)
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
  for (const file of ['Dockerfile', 'README.md']) copy(`release/files/${file}`, join(folder, file))
}

/** Writes which commit this is, because the package has no git history. */
async function writeBuild(folder: string, time: Date): Promise<void> {
  const { commit } = await findBuild(pathToFileURL(ROOT))
  writeFileSync(join(folder, 'build.json'), `${JSON.stringify({ commit, builtAt: time.toISOString() })}\n`)
}

/**
 * Packs both clients, as the service hands them out.
 * @throws Error if one has another version, or would contain a file that git does not track
 */
export async function packReleasedClients(): Promise<ClientPackage[]> {
  const untracked = IS_CLONE ? git('ls-files', '--others', '--', 'client/src/*.ts', 'clients/python/src/*.py') : ''
  if (untracked !== '') throw new Error(`Commit or delete these files, which the clients would contain:\n${untracked}`)
  const packages = Object.values(await packClients())
  const names = packages.map(({ name }) => name).join(', ')
  const expected = `petstore-client-${VERSION}.tgz, petstore_client-${PYTHON_VERSION}-py3-none-any.whl`
  if (names !== expected) throw new Error(`The clients must be ${expected}; they are ${names}.`)
  return packages
}

function copy(file: string, destination: string): void {
  mkdirSync(dirname(destination), { recursive: true })
  copyFileSync(join(ROOT, file), destination)
}
