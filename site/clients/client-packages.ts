import { hash } from 'node:crypto'
import type { Archive } from '../archive.ts'
import { packNpmPackage } from './npm-package.ts'
import { packWheel } from './wheel.ts'

/** A file that npm or pip installs. */
export interface ClientPackage extends Archive {
  /** In hexadecimal digits. */
  sha256: string
}

export interface ClientPackages {
  typescript: ClientPackage
  python: ClientPackage
}

/** Every file in the packages has npm's time, so that a package depends only on its sources. */
const TIME = new Date('1985-10-26T08:15:00Z')

/** Packs both clients. Needs neither Python nor a network. */
export async function packClients(): Promise<ClientPackages> {
  const [typescript, python] = await Promise.all([packNpmPackage(TIME), packWheel(TIME)])
  return { typescript: withSum(typescript), python: withSum(python) }
}

function withSum(archive: Archive): ClientPackage {
  return { ...archive, sha256: hash('sha256', archive.content) }
}
