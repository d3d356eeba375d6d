import { createHash } from 'node:crypto'
import manifest from '../package.json' with { type: 'json' }
import { run } from './repository.ts'

/**
 * Lists every package that the program runs with, in CycloneDX format. npm creates the list; values that differ between builds are replaced.
 * @param packages the folders of the bundled packages: npm regards the console's packages as needed only to build it
 */
export function billOfMaterials(time: Date, packages: readonly string[]): string {
  const bom = makeBom('--omit', 'dev')
  const names = new Set(packages.map(folder => folder.replace(/^.*node_modules\//, '')))
  const known = new Set(bom.components.map(refOf))
  // Building the console sets NODE_ENV to production, and npm would then leave out the packages that only a build needs.
  const bundled = makeBom('--include', 'dev').components.filter(
    (one: Component) => names.has(nameOf(one)) && !known.has(refOf(one)),
  )
  bom.components.push(...bundled.map(({ properties: _, scope: __, ...one }: Component) => one))
  // npm uses the name of the folder.
  bom.metadata.component.name = manifest.name
  bom.metadata.timestamp = time.toISOString()
  // Leaves out the version of npm.
  bom.metadata.tools = [{ name: 'npm sbom' }]
  delete bom.serialNumber
  const digest = createHash('sha256').update(JSON.stringify(bom)).digest('hex')
  return `${JSON.stringify({ ...bom, serialNumber: `urn:uuid:${asUuid(digest)}` }, null, 2)}\n`
}

function makeBom(...options: readonly string[]) {
  return JSON.parse(run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...options))
}

interface Component {
  'bom-ref': string
  group?: string
  name: string
  scope?: string
  properties?: unknown
}

function refOf(component: Component): string {
  return component['bom-ref']
}

function nameOf({ group, name }: Component): string {
  return group ? `${group}/${name}` : name
}

/** A version 8 UUID, derived from a digest. */
function asUuid(digest: string): string {
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? []
  return `${a}-${b}-8${c}-8${d}-${e}`
}
