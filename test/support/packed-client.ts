import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { packClients } from '../../site/clients/client-packages.ts'
import type { Cleanup } from './cleanup.ts'
import { temporaryFolder } from './folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAMS = join(ROOT, 'node_modules', '.bin')

/** The client as published: the file that npm installs, and the files in it. */
export interface PackedClient {
  tarball: string
  files: readonly string[]
}

/** Packs the client as a service hands it out. The file is removed after the test. */
export async function packClient(t: Cleanup): Promise<PackedClient> {
  const { name, content } = (await packClients()).typescript
  const tarball = join(await temporaryFolder(t), name)
  await writeFile(tarball, content)
  return { tarball, files: (await unpack(content)).map(({ header }) => header.name) }
}

/** Unpacks the client into a folder, which is removed after the test. @returns the folder of its modules */
export async function buildClient(t: Cleanup): Promise<string> {
  const folder = join(await temporaryFolder(t), 'dist')
  await mkdir(folder)
  for (const { header, data = '' } of await unpack((await packClients()).typescript.content)) {
    if (header.name.startsWith('dist/')) await writeFile(join(folder, basename(header.name)), data)
  }
  return folder
}

function unpack(content: Uint8Array) {
  return unpackTar(gunzipSync(content), { strip: 1 })
}

/** Runs a program, with those of this repository first in PATH, and npm offline unless a variable changes that. @throws if it fails, with its output */
export async function run(
  program: string,
  args: readonly string[],
  folder: string,
  variables: Record<string, string> = {},
): Promise<{ stdout: string }> {
  const env = {
    ...process.env,
    PATH: `${PROGRAMS}${delimiter}${process.env.PATH}`,
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    ...variables,
  }
  try {
    return await promisify(execFile)(program, args, { cwd: folder, env, shell: process.platform === 'win32' })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error })
  }
}
