import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, parseEnv } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { parseConfig } from '../src/app/config.ts'
import { findUnknownSettings } from '../src/app/unknown-settings.ts'
import { DEPLOYMENTS, type Deployment } from '../src/domain/deployment.ts'
import { typeOfManifest, validateManifest } from '../tools/kubernetes-models.ts'
import { TSC } from '../tools/typescript.ts'
import { imageEnvironment } from './support/dockerfile.ts'
import { findProgram } from './support/servers/needs.ts'

// deploy/kubernetes, as far as it can be checked without a cluster: both overlays are built by kustomize, and what comes out is read.

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const KUBERNETES = `${ROOT}deploy/kubernetes/`
/** How long the service waits for calls in flight after it stops accepting connections. */
const CALLS_IN_FLIGHT_SECONDS = 10

// biome-ignore lint/suspicious/noExplicitAny: the schemas say what it is, and a test by its assertions
type Manifest = any

/** The manifests of a deployment; undefined if kustomize is missing. */
const built = new Map<Deployment, Manifest[]>()
// Of Debian's packages none has a kustomize of this age, so that its absence fails nothing, not even where everything must be tested.
const cannotBuild = findProgram('kubectl') ? undefined : 'kubectl is not installed'
if (cannotBuild) console.error(`SKIPPED: the overlays of deploy/kubernetes: ${cannotBuild}`)
else for (const deployment of DEPLOYMENTS) built.set(deployment, build(`${KUBERNETES}overlays/${deployment}`))
const each = [...built]
const options = { skip: cannotBuild ?? false }

test('every document has a kind of Kubernetes, and follows its schema', options, async () => {
  for (const [deployment, manifests] of each) {
    for (const manifest of manifests) await assertValid(manifest, deployment)
  }
})

test('a wrong value is found', options, async () => {
  const wrong = structuredClone(find(each[0]?.[1] ?? [], 'Deployment'))
  wrong.spec.template.spec.containers[0].readinessProbe.periodSeconds = 'often'
  await assert.rejects(assertValid(wrong, 'wrong'))
})

test('no document has a member that its kind does not have', options, () => {
  assert.equal(findStrangeMembers(each.flatMap(([, manifests]) => manifests)), '')
  const wrong = structuredClone(find(each[0]?.[1] ?? [], 'Deployment'))
  wrong.spec.template.spec.containers[0].redinessProbe = {}
  assert.match(findStrangeMembers([wrong]), /'"redinessProbe"' does not exist/)
})

test('the two overlays have the same kinds of documents, and share no object', options, () => {
  const [kinds, others] = each.map(([, manifests]) => manifests.map(({ kind }) => kind).toSorted())
  assert.deepEqual(kinds, others)
  const places = each.flatMap(([, manifests]) =>
    manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`),
  )
  assert.equal(new Set(places).size, places.length)
  for (const [deployment, manifests] of each) {
    const namespace = find(manifests, 'Namespace').metadata.name
    const homeless = manifests.filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== namespace)
    assert.deepEqual(homeless, [], deployment)
  }
})

test('the service starts with the settings, as the right deployment', options, () => {
  for (const [deployment, manifests] of each) {
    const settings = settingsOf(manifests)
    assert.deepEqual(findUnknownSettings(settings), [])
    const config = parseConfig(settings)
    assert.equal(config.deployment, deployment)
    assert.deepEqual(Object.keys(config.publicUrls), [...DEPLOYMENTS])
    assert.ok(config.databaseUrl && config.redisUrls.length === 1 && config.proxyProtocol)
    const { ports } = containerOf(manifests)
    assert.deepEqual(
      ports.map(({ name, containerPort }: Manifest) => [name, containerPort]),
      [
        ['public', config.port],
        ['operators', config.operatorPort],
      ],
    )
    for (const host of [config.host, config.operatorHost]) assert.equal(host, '0.0.0.0')
  }
})

test('secrets are referred to, and in no file', options, () => {
  for (const [deployment, manifests] of each) {
    assert.deepEqual(
      manifests.filter(({ kind }) => kind === 'Secret'),
      [],
    )
    assert.doesNotMatch(JSON.stringify(manifests), /postgres:|redis:|password/i, deployment)
    assert.deepEqual(
      containerOf(manifests).envFrom.filter((from: Manifest) => from.secretRef),
      [{ secretRef: { name: 'petstore-secrets' } }],
    )
  }
  const example = parseEnv(readFileSync(`${KUBERNETES}secret.env.example`, 'utf8'))
  assert.deepEqual({ ...example }, { PETSTORE_DATABASE_URL: '', PETSTORE_REDIS_URL: '' })
})

test('probes use paths of the operators’ port, and a failing store restarts nothing', options, () => {
  for (const [, manifests] of each) {
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(manifests)
    const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)
    assert.deepEqual(
      asked,
      ['/livez', '/livez', '/readyz'].map(path => ({ path, port: 'operators' })),
    )
  }
})

test('a pod has enough time to stop', options, () => {
  for (const [, manifests] of each) {
    const { stopDelaySeconds } = parseConfig(settingsOf(manifests))
    const { readinessProbe } = containerOf(manifests)
    const noticedAfter = readinessProbe.periodSeconds * readinessProbe.failureThreshold
    assert.ok(stopDelaySeconds >= noticedAfter + 5, 'the balancer has heard of it')
    const { terminationGracePeriodSeconds } = podOf(manifests)
    assert.ok(terminationGracePeriodSeconds >= stopDelaySeconds + CALLS_IN_FLIGHT_SECONDS + 10)
  }
})

test('a pod runs without privileges, writes nowhere, and does not use the Kubernetes API', options, () => {
  for (const [, manifests] of each) {
    const pod = podOf(manifests)
    const container = containerOf(manifests)
    assert.equal(pod.automountServiceAccountToken, false)
    assert.equal(pod.enableServiceLinks, false, 'a Service named petstore would be told as PETSTORE_PORT')
    assert.equal(pod.securityContext.runAsNonRoot, true)
    assert.deepEqual(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' })
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      privileged: false,
      readOnlyRootFilesystem: true,
    })
    assert.ok(
      container.resources.requests.cpu && container.resources.requests.memory && container.resources.limits.memory,
    )
  }
})

test('an update removes a pod only when another one is ready, and a disruption at most one', options, () => {
  for (const [deployment, manifests] of each) {
    const { strategy, replicas } = find(manifests, 'Deployment').spec
    assert.deepEqual(strategy, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
    assert.equal(replicas, undefined, 'the autoscaler says how many')
    const { minReplicas, maxReplicas, scaleTargetRef } = find(manifests, 'HorizontalPodAutoscaler').spec
    const { maxUnavailable } = find(manifests, 'PodDisruptionBudget').spec
    assert.ok(minReplicas > maxUnavailable && maxReplicas > minReplicas, deployment)
    assert.deepEqual(scaleTargetRef, { apiVersion: 'apps/v1', kind: 'Deployment', name: 'petstore' })
  }
})

test('every selector matches these pods, and names ports that they have', options, () => {
  for (const [, manifests] of each) {
    const { selector, template } = find(manifests, 'Deployment').spec
    const services = manifests.filter(({ kind }) => kind === 'Service')
    assert.equal(services.length, 2)
    const selected = [
      selector.matchLabels,
      ...services.map(({ spec }) => spec.selector),
      find(manifests, 'PodDisruptionBudget').spec.selector.matchLabels,
      find(manifests, 'NetworkPolicy').spec.podSelector.matchLabels,
      ...template.spec.topologySpreadConstraints.map(({ labelSelector }: Manifest) => labelSelector.matchLabels),
    ]
    for (const labels of selected)
      assert.ok(isDeepStrictEqual(labels, template.metadata.labels), JSON.stringify(labels))
    const has = containerOf(manifests).ports.map(({ name }: Manifest) => name)
    const { ingress } = find(manifests, 'NetworkPolicy').spec
    const named = [
      ...services.flatMap(({ spec }) => spec.ports.map(({ targetPort }: Manifest) => targetPort)),
      ...ingress.flatMap(({ ports }: Manifest) => ports.map(({ port }: Manifest) => port)),
    ]
    for (const port of named) assert.ok(has.includes(port), port)
  }
})

test('the operators’ port is open only within the cluster, and there only to monitoring', options, () => {
  for (const [, manifests] of each) {
    const outside = manifests.filter(({ kind, spec }) => kind === 'Service' && spec.type === 'LoadBalancer')
    const ports = outside.flatMap(({ spec }) => spec.ports.map(({ targetPort }: Manifest) => targetPort))
    assert.deepEqual(ports, ['public'])
    const { ingress, policyTypes } = find(manifests, 'NetworkPolicy').spec
    assert.deepEqual(policyTypes, ['Ingress', 'Egress'])
    const open = ingress.filter(({ from }: Manifest) => from === undefined)
    assert.deepEqual(open, [{ ports: [{ port: 'public', protocol: 'TCP' }] }])
  }
})

test('the image has an exact version', options, () => {
  for (const [, manifests] of each)
    assert.match(containerOf(manifests).image, /^[a-z.]+\/petstore:\d+\.\d+\.\d+(-dev)?$/)
})

function build(overlay: string): Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', overlay], { encoding: 'utf8' })
  return parseAllDocuments(text).map(document => {
    assert.deepEqual([...document.errors, ...document.warnings], [])
    return document.toJS()
  })
}

function find(manifests: readonly Manifest[], wanted: string): Manifest {
  const found = manifests.filter(({ kind }) => kind === wanted)
  assert.equal(found.length, 1, wanted)
  return found[0]
}

function podOf(manifests: readonly Manifest[]): Manifest {
  return find(manifests, 'Deployment').spec.template.spec
}

function containerOf(manifests: readonly Manifest[]): Manifest {
  const { containers } = podOf(manifests)
  assert.equal(containers.length, 1)
  return containers[0]
}

/** The environment of the container: what the image sets, the settings, and secrets as they may be. */
function settingsOf(manifests: readonly Manifest[]): Record<string, string> {
  const settings = find(manifests, 'ConfigMap')
  assert.deepEqual(containerOf(manifests).envFrom[0], { configMapRef: { name: settings.metadata.name } })
  return {
    ...imageEnvironment(),
    ...settings.data,
    PETSTORE_DATABASE_URL: 'postgres://petstore:secret@db.example.com/petstore?sslmode=verify-full',
    PETSTORE_REDIS_URL: 'rediss://:secret@redis.example.com',
  }
}

async function assertValid(manifest: Manifest, of: string): Promise<void> {
  try {
    await validateManifest(manifest)
  } catch (error) {
    throw new Error(`${of}: ${manifest.kind} ${manifest.metadata.name}: ${error}`)
  }
}

/** The schemas accept unknown members. TypeScript does not, in object literals. */
function findStrangeMembers(manifests: readonly Manifest[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-manifests-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const lines = manifests.map(
    (manifest, index) => `export const manifest${index}: ${typeOfManifest(manifest)} = ${JSON.stringify(manifest)}`,
  )
  const file = join(folder, 'manifests.ts')
  writeFileSync(file, lines.join('\n'))
  const flags = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions']
  const { stdout, error } = spawnSync(
    process.execPath,
    [TSC, ...flags, '--module', 'nodenext', '--target', 'esnext', file],
    { encoding: 'utf8' },
  )
  if (error) throw error
  return stdout
}
