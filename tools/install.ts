import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm } from '../release/npm.ts'

/**
 * Installs the tools in this folder, unless they are up to date: `npm run tools`. They are apart because starting and testing the service
 * do not need them, and they are large.
 */

const LOCK = join(import.meta.dirname, 'package-lock.json')
const INSTALLED = join(import.meta.dirname, 'node_modules/.installed-lock.json')

export function installTools(): void {
  if (read(INSTALLED) === read(LOCK)) return
  console.error('Installing the development tools …')
  const options = { cwd: import.meta.dirname, stdio: 'inherit' } as const
  runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], options)
  copyFileSync(LOCK, INSTALLED)
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

if (import.meta.main) installTools()
