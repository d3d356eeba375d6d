import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm } from '../release/npm.ts'

/**
 * Installs the tools in this folder, unless they are up to date: `npm run tools`. They are apart because starting and testing the service
 * do not need them, and they are large.
 */
export function installTools(): void {
  installPackages(import.meta.dirname)
}

/** Installs what the folder's package-lock.json names, unless it is there. */
export function installPackages(folder: string): void {
  const lock = join(folder, 'package-lock.json')
  const installed = join(folder, 'node_modules/.installed-lock.json')
  if (read(installed) === read(lock)) return
  console.error(`Installing what ${folder} needs …`)
  runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
  copyFileSync(lock, installed)
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

if (import.meta.main) installTools()
