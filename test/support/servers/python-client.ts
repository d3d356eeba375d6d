import { execFile, execFileSync } from 'node:child_process'
import { cp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packClients } from '../../../site/clients/client-packages.ts'
import { PYTHON } from '../../samples/run-samples.ts'
import type { Cleanup } from '../cleanup.ts'
import { temporaryFolder } from '../folder.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const CALLER = fileURLToPath(new URL('python_caller.py', import.meta.url))

export const PYTHON_CLIENT = join(ROOT, 'clients/python')

/** The input of a process that creates animals. */
export interface CallerPlan {
  baseUrl: string
  apiKey: string
  /** The names of the animals that it creates, each once. */
  names: readonly string[]
  /** 0 for an asynchronous client, with a task for each name. */
  threads: number
  /** How many times as fast as the real clock its own runs; 1 for the real one. */
  speed: number
  /** How long a call may take, in seconds of its clock. */
  timeout: number
}

export interface CallerResult {
  /** The ids of the animals, by name. */
  created: Record<string, string>
  /** The classes of the errors that its calls have raised. */
  errors: string[]
}

/** Writes the wheel that a service hands out, and returns its path. */
export async function writeWheel(t: Cleanup): Promise<string> {
  const { name, content } = (await packClients()).python
  const file = join(await temporaryFolder(t), name)
  await writeFile(file, content)
  return file
}

/** Builds the wheel as Python's own tools do, from a copy of the sources, without a network, and returns its path. */
export async function buildWithHatchling(t: Cleanup): Promise<string> {
  const folder = await temporaryFolder(t)
  const filter = (path: string) => !/[\\/](?:dist|__pycache__|\.mypy_cache)$/.test(path)
  await cp(PYTHON_CLIENT, folder, { recursive: true, filter })
  await runPython(PYTHON, ['-m', 'hatchling', 'build', '--target', 'wheel'], folder)
  const [wheel = ''] = await readdir(join(folder, 'dist'))
  return join(folder, 'dist', wheel)
}

/** Whether Python has this module. */
export function canImport(module: string): boolean {
  try {
    execFileSync(PYTHON, ['-c', `import ${module}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Makes a virtual environment that ends with the test, and returns its python. */
export async function makeEnvironment(t: Cleanup): Promise<string> {
  const folder = await temporaryFolder(t)
  await runPython(PYTHON, ['-m', 'venv', folder], folder)
  return join(folder, 'bin/python')
}

/** Installs a wheel from a file or an address into a virtual environment, without a registry. */
export async function installWheel(python: string, wheel: string): Promise<void> {
  await runPython(python, ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-cache-dir', wheel], '/')
}

/** Creates animals from a process with the installed client. */
export async function createFromPython(python: string, plan: CallerPlan): Promise<CallerResult> {
  const { stdout } = await runPython(python, [CALLER, JSON.stringify(plan)], ROOT)
  return JSON.parse(stdout)
}

/** @throws if it fails, with what it printed */
export async function runPython(
  python: string,
  args: readonly string[],
  folder: string,
  variables: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string }> {
  const { PYTHONPATH: _, ...environment } = process.env
  const env = { ...environment, no_proxy: '*', PIP_DISABLE_PIP_VERSION_CHECK: '1', ...variables }
  try {
    return await promisify(execFile)(python, args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${python} ${args.join(' ').slice(0, 200)}: ${stdout}${stderr}`, { cause: error })
  }
}
