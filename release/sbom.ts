import { createHash } from 'node:crypto'
import manifest from '../package.json' with { type: 'json' }
import { run } from './repository.ts'

/** Every package that the program runs with, in CycloneDX. npm makes it; what differs from build to build is replaced. */
export function billOfMaterials(time: Date): string {
  const bom = JSON.parse(run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'))
  // npm takes the name of the folder.
  bom.metadata.component.name = manifest.name
  bom.metadata.timestamp = time.toISOString()
  // The version of npm.
  bom.metadata.tools = [{ name: 'npm sbom' }]
  delete bom.serialNumber
  const digest = createHash('sha256').update(JSON.stringify(bom)).digest('hex')
  return `${JSON.stringify({ ...bom, serialNumber: `urn:uuid:${asUuid(digest)}` }, null, 2)}\n`
}

/** A UUID of version 8, made from a digest. */
function asUuid(digest: string): string {
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? []
  return `${a}-${b}-8${c}-8${d}-${e}`
}
