import { execFile } from 'node:child_process'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Cleanup } from './cleanup.ts'
import { temporaryFolder } from './folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAMS = join(ROOT, 'node_modules', '.bin')

/** The client as published: the file that `npm pack` creates, and the files in it. */
export interface PackedClient {
  tarball: string
  files: readonly string[]
}

/** Packs a copy of the client, so that work in progress does not interfere. It is removed after the test. */
export async function packClient(t: Cleanup): Promise<PackedClient> {
  const folder = await copyClient(t)
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts=false'], folder)
  // The output of the build comes before it.
  const [packed] = JSON.parse(stdout.slice(stdout.search(/^\[/m)))
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }: { path: string }) => path) }
}

/** Builds a copy of the client, which is removed after the test. @returns the folder of its modules */
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
  await symlink(join(ROOT, 'tools'), join(folder, 'tools'), 'junction')
  return client
}

/** Runs a program, with those of this repository first in PATH, and npm offline. @throws if it fails, with its output */
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
