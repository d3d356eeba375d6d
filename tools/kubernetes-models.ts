import { fileURLToPath } from 'node:url'

/** The schemas and types of Kubernetes objects. */

export interface Manifest {
  apiVersion: string
  kind: string
}

/** @throws an error if the manifest does not match the schema of its kind */
export async function validateManifest(manifest: Manifest): Promise<void> {
  const { apiVersion, kind } = manifest
  const module = await import(`kubernetes-models/${apiVersion}/${kind}`)
  new module[kind](manifest).validate()
}

/** The TypeScript type of a manifest. */
export function typeOfManifest({ apiVersion, kind }: Manifest): string {
  const types = new URL(`node_modules/kubernetes-models/${apiVersion}/${kind}.d.ts`, import.meta.url)
  return `import('${fileURLToPath(types)}').I${kind}`
}
