import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from './config.ts'
import { ConfigError } from './setting-values.ts'
import { type Environment, SETTINGS } from './settings.ts'
import { findUnknownSettings } from './unknown-settings.ts'

test('without any setting the service runs on this machine alone', () => {
  const expected = {
    host: '127.0.0.1',
    port: 8080,
    operatorHost: '127.0.0.1',
    operatorPort: 8081,
    operatorHosts: [],
    tls: {},
    redirectPort: undefined,
    acmeFolder: undefined,
    hstsSeconds: 0,
    dataFolder: './data',
    databaseUrl: undefined,
    backupTo: undefined,
    backupEverySeconds: 86_400,
    backupKeep: 7,
    redisUrls: [],
    deployment: 'production',
    publicUrls: {},
    trustedProxies: [],
    proxyProtocol: false,
    keepAliveSeconds: 65,
    corsOrigins: [],
    anonymousPerMinute: 600,
    overloadWaitMs: 100,
    claimLinkSeconds: 86_400,
    ban: { after: undefined, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 },
    usageDays: 400,
    stopDelaySeconds: 0,
    logLevel: 'info',
    logFormat: 'auto',
  }
  assert.deepEqual(parseConfig({}), expected)
  const empty = Object.fromEntries(Object.values(SETTINGS).map(({ name }) => [name, '']))
  assert.deepEqual(parseConfig(empty), expected, 'an empty variable counts as unset')
})

test('every setting is read', () => {
  const config = parseConfig({
    PETSTORE_HOST: '::1',
    PETSTORE_PORT: '0',
    PETSTORE_OPERATOR_HOST: 'localhost',
    PETSTORE_OPERATOR_PORT: '65535',
    PETSTORE_OPERATOR_HOSTS: 'petstore-1, *.Example.com',
    PETSTORE_TLS_CERT: '/etc/petstore/tls/cert 1.pem',
    PETSTORE_TLS_KEY: '/etc/petstore/tls/key.pem',
    PETSTORE_OPERATOR_TLS_CERT: 'own.pem',
    PETSTORE_OPERATOR_TLS_KEY: 'own.pem',
    PETSTORE_REDIRECT_PORT: '80',
    PETSTORE_ACME_WEBROOT: '/var/lib/petstore/acme',
    PETSTORE_HSTS: '31536000',
    PETSTORE_DATA: '/var/lib/pet store',
    PETSTORE_DATABASE_URL: 'postgresql://anna:secret@[::1]:6432/pets?sslmode=verify-full',
    PETSTORE_BACKUP_EVERY: '90m',
    PETSTORE_BACKUP_KEEP: '30',
    PETSTORE_REDIS_URL: 'rediss://anna:secret@one.example.com, redis://two.example.com:7000',
    PETSTORE_DEPLOYMENT: 'staging',
    PETSTORE_PRODUCTION_URL: 'https://api.example.com/v1',
    PETSTORE_STAGING_URL: 'HTTPS://Staging.example.com:8080/shop/v1/',
    PETSTORE_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,fc00::/7,2001:db8::1',
    PETSTORE_PROXY_PROTOCOL: 'on',
    PETSTORE_KEEP_ALIVE: '4000',
    PETSTORE_CORS_ORIGINS: 'https://app.example.com, http://localhost:3000',
    PETSTORE_ANONYMOUS_PER_MINUTE: '1',
    PETSTORE_OVERLOAD_WAIT: '0',
    PETSTORE_CLAIM_LINK_FOR: '3600',
    PETSTORE_BAN_AFTER: '2',
    PETSTORE_BAN_WITHIN: '3',
    PETSTORE_BAN_FOR: '4',
    PETSTORE_BAN_MAX: '4',
    PETSTORE_USAGE_DAYS: '5',
    PETSTORE_STOP_DELAY: '300',
    PETSTORE_LOG_LEVEL: 'silent',
    PETSTORE_LOG_FORMAT: 'text',
  })
  assert.deepEqual(config, {
    host: '::1',
    port: 0,
    operatorHost: 'localhost',
    operatorPort: 65_535,
    operatorHosts: ['petstore-1', '*.example.com'],
    tls: {
      public: {
        cert: { setting: 'PETSTORE_TLS_CERT', path: '/etc/petstore/tls/cert 1.pem' },
        key: { setting: 'PETSTORE_TLS_KEY', path: '/etc/petstore/tls/key.pem' },
      },
      operators: {
        cert: { setting: 'PETSTORE_OPERATOR_TLS_CERT', path: 'own.pem' },
        key: { setting: 'PETSTORE_OPERATOR_TLS_KEY', path: 'own.pem' },
      },
    },
    redirectPort: 80,
    acmeFolder: '/var/lib/petstore/acme',
    hstsSeconds: 31_536_000,
    dataFolder: '/var/lib/pet store',
    databaseUrl: 'postgresql://anna:secret@[::1]:6432/pets?sslmode=verify-full',
    backupTo: undefined,
    backupEverySeconds: 5_400,
    backupKeep: 30,
    redisUrls: ['rediss://anna:secret@one.example.com', 'redis://two.example.com:7000'],
    deployment: 'staging',
    publicUrls: { production: 'https://api.example.com/v1', staging: 'https://staging.example.com:8080/shop/v1' },
    trustedProxies: ['10.0.0.0/8', '192.0.2.7', 'fc00::/7', '2001:db8::1'],
    proxyProtocol: true,
    keepAliveSeconds: 4_000,
    corsOrigins: ['https://app.example.com', 'http://localhost:3000'],
    anonymousPerMinute: 1,
    overloadWaitMs: 0,
    claimLinkSeconds: 3_600,
    ban: { after: 2, withinSeconds: 3, forSeconds: 4, maxSeconds: 4 },
    usageDays: 5,
    stopDelaySeconds: 300,
    logLevel: 'silent',
    logFormat: 'text',
  })
})

test('the two listeners need a port each', () => {
  const refused = [
    { PETSTORE_PORT: '9000', PETSTORE_OPERATOR_PORT: '9000' },
    { PETSTORE_PORT: '8081' },
    { PETSTORE_PORT: '9000', PETSTORE_OPERATOR_PORT: '9000', PETSTORE_HOST: '0.0.0.0' },
    { PETSTORE_PORT: '9000', PETSTORE_OPERATOR_PORT: '9000', PETSTORE_OPERATOR_HOST: '::' },
  ]
  for (const env of refused) assert.throws(() => parseConfig(env), /^ConfigError: PETSTORE_OPERATOR_PORT .*must differ/)
  parseConfig({ PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0' })
  parseConfig({ PETSTORE_PORT: '9000', PETSTORE_OPERATOR_PORT: '9000', PETSTORE_OPERATOR_HOST: '127.0.0.2' })
})

const WRONG: Record<string, readonly string[]> = {
  PETSTORE_HOST: ['127.0.0.1:8080', 'http://localhost', 'two words', '-host'],
  PETSTORE_PORT: ['-1', '65536', '80.5', '0x50', '1e3', 'http', '99999999999999999999'],
  PETSTORE_OPERATOR_HOST: ['[::1]'],
  PETSTORE_OPERATOR_PORT: ['port'],
  PETSTORE_DATABASE_URL: [
    'mysql://me:secret@db.example.com/pets',
    'postgres://me:secret@/pets',
    'me:secret@db',
    'postgres://me:secret@one.example.com,two.example.com/pets?target_session_attrs=read-write',
    'postgres://me:secret@/pets?host=one.example.com,two.example.com',
  ],
  PETSTORE_REDIS_URL: [
    'http://me:secret@cache.example.com',
    'redis://me:secret@one.example.com,two.example.com',
    'redis://me:secret@one.example.com?sentinel=pets,redis://two.example.com',
    'redis://me:secret@one.example.com?sentinel=',
  ],
  PETSTORE_KEEP_ALIVE: ['0', '86401', '65s'],
  PETSTORE_DEPLOYMENT: ['live', 'Production'],
  PETSTORE_PRODUCTION_URL: [
    'api.example.com/v1',
    '/v1',
    'ftp://api.example.com/v1',
    'https:///v1',
    'https://api.example.com',
    'https://api.example.com/v2',
    'https://api.example.com/petsv1',
    'https://api.example.com/v1//',
    'https://api.example.com/v1?',
    'https://api.example.com/v1?a=b',
    'https://api.example.com/v1#',
    'https://me:secret@api.example.com/v1',
  ],
  PETSTORE_STAGING_URL: ['https://me@api.example.com/v1'],
  PETSTORE_TRUSTED_PROXIES: [
    '*',
    'proxy.example.com',
    '10.1',
    '0x0a.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '0.0.0.0/0',
    '::/0',
    '192.0.2.7/0',
    '0.0.0.0/1',
    '2000::/3',
    '::ffff:0:0/96',
    '192.0.2.7,0.0.0.0/0',
  ],
  PETSTORE_PROXY_PROTOCOL: ['true', 'v2', 'On'],
  PETSTORE_CORS_ORIGINS: [
    '*',
    'null',
    'app.example.com',
    'https://*.example.com',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://App.example.com',
    'https://app.example.com:443',
    'https://me@app.example.com',
    'ftp://app.example.com',
  ],
  PETSTORE_ANONYMOUS_PER_MINUTE: ['0', '-5', 'many'],
  PETSTORE_CLAIM_LINK_FOR: ['0', '2592001', '1d'],
  PETSTORE_BAN_AFTER: ['0', '1001'],
  PETSTORE_BAN_WITHIN: ['0'],
  PETSTORE_BAN_FOR: ['0'],
  PETSTORE_BAN_MAX: ['0', '899'],
  PETSTORE_USAGE_DAYS: ['0', 'ever'],
  PETSTORE_STOP_DELAY: ['-1', '301', '5s'],
  PETSTORE_LOG_LEVEL: ['verbose', 'INFO'],
  PETSTORE_LOG_FORMAT: ['pretty', 'JSON'],
}

for (const [name, texts] of Object.entries(WRONG)) {
  test(`${name} is refused if it is invalid, in one line that names it and shows no secret`, () => {
    for (const text of texts) {
      const message = problemsOf({ [name]: text })
      assert.match(message, new RegExp(`^${name} .+\\.$`), text)
      assert.doesNotMatch(message, /secret/)
    }
  })
}

test('every problem is reported at once, one per line', () => {
  const message = problemsOf({ PETSTORE_PORT: 'x', PETSTORE_DEPLOYMENT: 'x', PETSTORE_LOG_LEVEL: 'x' })
  assert.deepEqual(
    message.split('\n').map(line => line.split(' ')[0]),
    ['PETSTORE_PORT', 'PETSTORE_DEPLOYMENT', 'PETSTORE_LOG_LEVEL'],
  )
})

test('the PROXY protocol needs trusted proxies that use it', () => {
  assert.equal(
    problemsOf({ PETSTORE_PROXY_PROTOCOL: 'on' }),
    'PETSTORE_PROXY_PROTOCOL is on, so PETSTORE_TRUSTED_PROXIES must list the proxies that use it.',
  )
  const both = problemsOf({ PETSTORE_PROXY_PROTOCOL: 'on', PETSTORE_TRUSTED_PROXIES: '*' })
  assert.match(both, /^PETSTORE_TRUSTED_PROXIES [^\n]+$/, 'one problem is reported once')
})

test('for an origin that no browser sends, the error names the right one', () => {
  assert.match(
    problemsOf({ PETSTORE_CORS_ORIGINS: 'https://App.example.com/' }),
    /use "https:\/\/app\.example\.com"\.$/,
  )
})

test('a first ban cannot be longer than the maximum', () => {
  assert.equal(
    problemsOf({ PETSTORE_BAN_FOR: '90000' }),
    'PETSTORE_BAN_MAX (86400) must be at least PETSTORE_BAN_FOR (90000).',
  )
})

test('a port that Kubernetes set is recognised', () => {
  assert.match(problemsOf({ PETSTORE_PORT: 'tcp://10.0.0.7:8080' }), /Kubernetes .* enableServiceLinks: false/)
})

test('an unknown setting is reported, with the known one that is most similar', () => {
  const ofCallers = { PETSTORE_API_KEY: 'a key' }
  const unknown = { PETSTORE_PROT: '1', PETSTORE_LOGLEVEL: 'info', PETSTORE_COLOUR: 'blue' }
  assert.deepEqual(findUnknownSettings({ ...ofCallers, ...unknown }), [
    'unknown setting PETSTORE_PROT; did you mean PETSTORE_PORT?',
    'unknown setting PETSTORE_LOGLEVEL; did you mean PETSTORE_LOG_LEVEL?',
    'unknown setting PETSTORE_COLOUR',
  ])
})

test('what a Redis URL says in vain is reported: callers could be sent unencrypted, or counted twice', () => {
  const reportsOf = (urls: string) => findUnknownSettings({ PETSTORE_REDIS_URL: urls })
  const hint = 'in PETSTORE_REDIS_URL; write rediss:// for TLS, and a path such as /2 for database 2'
  assert.deepEqual(reportsOf('redis://:secret@one.example.com?tls=true&db=2'), [
    `unknown parameter tls ${hint}`,
    `unknown parameter db ${hint}`,
  ])
  assert.deepEqual(reportsOf('redis://one.example.com/pets'), [`unknown database /pets ${hint}`])
  for (const urls of [
    'redis://one.example.com/2',
    'rediss://one.example.com:6380/?cluster=true',
    'redis://one.example.com?sentinel=pets&sentinelUsername=me&sentinelPassword=secret,redis://two.example.com?sentinel=pets',
    'one.example.com',
    // Part of a password, which must not be repeated.
    'redis://me:12/secret@one.example.com',
    'redis://me:12?secret@one.example.com',
    'redis://me:12/secret#one.example.com',
  ]) {
    assert.deepEqual(reportsOf(urls), [], urls)
  }
})

test('a misspelt sslmode of PostgreSQL is reported: the driver ignores it, and would connect unencrypted', () => {
  const reportsOf = (url: string) => findUnknownSettings({ PETSTORE_DATABASE_URL: url })
  for (const name of ['sslMode', 'SSLMODE', 'ssl_mode', 'sslmod', 'tls']) {
    const report = `unknown parameter ${name} in PETSTORE_DATABASE_URL; write sslmode=verify-full for TLS`
    assert.deepEqual(reportsOf(`postgres://me:a,b@db.example.com/pets?${name}=require`), [report])
  }
  for (const query of [
    'ssl=true',
    'sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/a&sslkey=/b',
    'connect_timeout=5&x=y',
    'tls@x',
  ]) {
    assert.deepEqual(reportsOf(`postgres://me:a,b@db.example.com/pets?${query}`), [], query)
  }
})

test('variables of tests and Kubernetes are not mistaken for settings', () => {
  const env = {
    PATH: '/bin',
    PETSTORE_PORT: '8080',
    PETSTORE_TEST_DATABASE_URL: 'postgres://localhost',
    PETSTORE_SERVICE_HOST: '10.0.0.7',
    PETSTORE_SERVICE_PORT: '8080',
    PETSTORE_SERVICE_PORT_HTTP: '8080',
    PETSTORE_PORT_8080_TCP: 'tcp://10.0.0.7:8080',
    PETSTORE_PORT_8080_TCP_ADDR: '10.0.0.7',
    PETSTORE_REDIS_SERVICE_HOST: '10.0.0.8',
    PETSTORE_REDIS_PORT: 'tcp://10.0.0.8:6379',
  }
  assert.deepEqual(findUnknownSettings(env), [])
})

function problemsOf(env: Environment): string {
  try {
    parseConfig(env)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
  assert.fail(`accepted: ${JSON.stringify(env)}`)
}

test('a list of database hosts is refused with the section of the handbook that helps', () => {
  assert.equal(
    problemsOf({ PETSTORE_DATABASE_URL: 'postgres://one.example.com:5432,two.example.com:5432/pets' }),
    'PETSTORE_DATABASE_URL must have one host, which always leads to the primary, not a list; see "PostgreSQL" in docs/operations/failover.md.',
  )
})

test('a database on a local socket can be named', () => {
  for (const url of ['postgres:///db?host=/var/run/postgresql', 'postgresql:///db?user=anna&host=%2Frun%2Fpg']) {
    assert.equal(parseConfig({ PETSTORE_DATABASE_URL: url }).databaseUrl, url)
  }
  assert.throws(() => parseConfig({ PETSTORE_DATABASE_URL: 'postgres:///db' }), ConfigError)
})

test('a password that is not percent-encoded is refused, and no part of it is shown', () => {
  for (const password of ['12#34x', '12/34x', '12?34x', 'pa#ss34x', 'pa/ss34x', '%zz34x', '12#@34x']) {
    for (const [name, scheme] of [
      ['PETSTORE_DATABASE_URL', 'postgres'],
      ['PETSTORE_REDIS_URL', 'redis'],
      ['PETSTORE_REDIS_URL', 'rediss'],
    ] as const) {
      const settings = { [name]: `${scheme}://anna:${password}@host.example.com/0` }
      assert.throws(
        () => parseConfig(settings),
        (error: Error) =>
          error instanceof ConfigError &&
          /percent-encoded/.test(error.message) &&
          !/12|34|pa#|pa\/|anna/.test(error.message),
        `${scheme} ${password}`,
      )
    }
  }
  const encoded = 'postgres://anna:12%2334%2F%3F%40@db.example.com/pets'
  assert.equal(parseConfig({ PETSTORE_DATABASE_URL: encoded }).databaseUrl, encoded)
})

test('a certificate and its key are set together, and what depends on them requires them', () => {
  const [cert, key] = [{ PETSTORE_TLS_CERT: 'c' }, { PETSTORE_TLS_KEY: 'k' }]
  const own = { PETSTORE_PRODUCTION_URL: 'https://petstore.example/v1' }
  const redirect = { PETSTORE_REDIRECT_PORT: '80' }
  for (const [settings, message] of [
    [cert, 'PETSTORE_TLS_CERT requires PETSTORE_TLS_KEY.'],
    [key, 'PETSTORE_TLS_KEY requires PETSTORE_TLS_CERT.'],
    [{ PETSTORE_OPERATOR_TLS_KEY: 'k' }, 'PETSTORE_OPERATOR_TLS_KEY requires PETSTORE_OPERATOR_TLS_CERT.'],
    [{ PETSTORE_ACME_WEBROOT: '/x' }, 'PETSTORE_ACME_WEBROOT requires PETSTORE_REDIRECT_PORT.'],
    [{ PETSTORE_HSTS: '300' }, 'PETSTORE_HSTS (300) requires PETSTORE_TLS_CERT.'],
    [{ ...redirect, ...own }, 'PETSTORE_REDIRECT_PORT (80) requires PETSTORE_TLS_CERT.'],
    [
      { ...redirect, ...cert, ...key },
      'PETSTORE_REDIRECT_PORT (80) requires an https address in PETSTORE_PRODUCTION_URL, to redirect to.',
    ],
    [
      { ...redirect, ...cert, ...key, ...own, PETSTORE_DEPLOYMENT: 'staging' },
      'PETSTORE_REDIRECT_PORT (80) requires an https address in PETSTORE_STAGING_URL, to redirect to.',
    ],
    [
      { PETSTORE_REDIRECT_PORT: '8081', ...cert, ...key, ...own },
      'PETSTORE_REDIRECT_PORT (8081) must differ from PETSTORE_PORT and PETSTORE_OPERATOR_PORT.',
    ],
  ] as const) {
    assert.throws(() => parseConfig(settings), { message })
  }
  assert.equal(parseConfig({ ...redirect, ...cert, ...key, ...own }).redirectPort, 80)
  assert.throws(() => parseConfig({ PETSTORE_REDIRECT_PORT: '65536' }), /PETSTORE_REDIRECT_PORT must be a whole number/)
})

test('scheduled backups are of the embedded store, and outside of its folder', () => {
  const problemsOf = (env: Record<string, string>) => {
    try {
      parseConfig({ PETSTORE_DATA: '/srv/data', ...env })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  for (const outside of ['/srv/backups', '/srv/data-backups', '/srv'])
    assert.equal(problemsOf({ PETSTORE_BACKUP_TO: outside }), '')
  for (const inside of ['/srv/data', '/srv/data/', '/srv/other/../data/backups', '/srv/data/..backups']) {
    assert.match(
      problemsOf({ PETSTORE_BACKUP_TO: inside }),
      /^PETSTORE_BACKUP_TO .* must be outside PETSTORE_DATA \(\/srv\/data\)\.$/,
    )
  }
  const PETSTORE_DATABASE_URL = 'postgres://db.example.com/petstore'
  assert.match(
    problemsOf({ PETSTORE_BACKUP_TO: '/srv/backups', PETSTORE_DATABASE_URL }),
    /^PETSTORE_BACKUP_TO is for the embedded store only;/,
  )
})
