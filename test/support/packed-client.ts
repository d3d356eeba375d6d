import { execFile } from 'node:child_process'
import { cp, mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Cleanup } from './cleanup.ts'
import { temporaryFolder } from './folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAMS = join(ROOT, 'node_modules', '.bin')

/** The client as it is published: the file that `npm pack` makes, and the files in it. */
export interface PackedClient {
  tarball: string
  files: readonly string[]
}

/** Packs a copy of the client, so that nothing of the one that is worked on is in the way. Ends with the test. */
export async function packClient(t: Cleanup): Promise<PackedClient> {
  const folder = await copyClient(t)
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts=false'], folder)
  // What the build says stands before it.
  const [packed] = JSON.parse(stdout.slice(stdout.search(/^\[/m)))
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }: { path: string }) => path) }
}

/** Builds a copy of the client, which ends with the test. @returns the folder of its modules */
export async function buildClient(t: Cleanup): Promise<string> {
  const folder = await copyClient(t)
  await run('npm', ['run', 'build'], folder)
  return join(folder, 'dist')
}

async function copyClient(t: Cleanup): Promise<string> {
  const folder = await temporaryFolder(t)
  const client = join(folder, 'client')
  await mkdir(client)
  const isSource = (path: string) => !/[\\/](dist|node_modules)$/.test(path)
  await cp(join(ROOT, 'client'), client, { recursive: true, filter: isSource })
  await cp(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'))
  return client
}

/** Runs a program, with those of this repository first, and without a network for npm. @throws when it fails, with what it said */
export async function run(
  program: string,
  args: readonly string[],
  folder: string,
  variables: Record<string, string> = {},
): Promise<{ stdout: string }> {
  const env = {
    ...process.env,
    ...variables,
    PATH: `${PROGRAMS}${delimiter}${process.env.PATH}`,
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
  try {
    return await promisify(execFile)(program, args, { cwd: folder, env, shell: process.platform === 'win32' })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error })
  }
}
