import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const REDOCLY = join(import.meta.dirname, 'node_modules/@redocly/cli/bin/cli.js')
const ROOT = join(import.meta.dirname, '..')

/** Checks a document against the rules in redocly.yaml. @throws an error that lists all problems */
export async function lintOpenApi(file: string): Promise<void> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  try {
    await promisify(execFile)(process.execPath, [REDOCLY, 'lint', file], { cwd: ROOT, env })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${stdout}${stderr}`, { cause: error })
  }
}
