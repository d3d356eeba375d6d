import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs the tools in this folder, unless they are up to date: `npm run tools`. They are apart because starting and testing the service
 * do not need them, and they are large.
 */

const LOCK = join(import.meta.dirname, 'package-lock.json')
const INSTALLED = join(import.meta.dirname, 'node_modules/.installed-lock.json')

export function installTools(): void {
  if (read(INSTALLED) === read(LOCK)) return
  console.error('Installing the development tools …')
  npm('ci', '--no-audit', '--no-fund', '--loglevel=error')
  copyFileSync(LOCK, INSTALLED)
}

/** Runs the npm that runs this program, with the Node that runs it, as not every npm supports every Node. */
function npm(...args: string[]): void {
  const { npm_execpath, npm_node_execpath } = process.env
  const options: ExecFileSyncOptions = { cwd: import.meta.dirname, stdio: 'inherit' }
  if (npm_execpath && npm_node_execpath) execFileSync(npm_node_execpath, [npm_execpath, ...args], options)
  else execFileSync('npm', args, { ...options, shell: process.platform === 'win32' })
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

if (import.meta.main) installTools()
