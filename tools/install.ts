import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm } from '../release/npm.ts'

/**
 * Installs the tools in this folder, unless they are up to date: `npm run tools`. They are separate because they are large, and starting and
 * testing the service do not need them.
 */
export function installTools(): void {
  installPackages(import.meta.dirname)
}

/** Installs the packages in the folder's package-lock.json, unless they are installed. */
export function installPackages(folder: string): void {
  const lock = join(folder, 'package-lock.json')
  const installed = join(folder, 'node_modules/.installed-lock.json')
  if (read(installed) === read(lock)) return
  console.error(`Installing packages in ${folder} …`)
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
