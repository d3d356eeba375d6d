import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from './config.ts'
import { publicBaseUrl } from './public-address.ts'
import type { Environment } from './settings.ts'

const baseUrl = (env: Environment) => publicBaseUrl(parseConfig(env))

test('on a loopback address, the public base address is that address', () => {
  for (const [host, expected] of [
    [undefined, 'http://127.0.0.1:8080/v1'],
    ['127.0.0.2', 'http://127.0.0.2:8080/v1'],
    ['::1', 'http://[::1]:8080/v1'],
    ['0:0:0:0:0:0:0:1', 'http://[0:0:0:0:0:0:0:1]:8080/v1'],
    ['::ffff:127.0.0.1', 'http://[::ffff:127.0.0.1]:8080/v1'],
    ['localhost', 'http://localhost:8080/v1'],
    ['LocalHost', 'http://LocalHost:8080/v1'],
  ] as const) {
    assert.equal(baseUrl({ PETSTORE_HOST: host }), expected)
  }
})

test('on any other address it must be set, for the own deployment', () => {
  for (const host of [
    ...['0.0.0.0', '0', '::', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0'],
    ...['192.0.2.2', '2001:db8::1', 'petstore', 'pets.example.com', 'localhost.example.com', '128.0.0.1'],
  ]) {
    const refusal = (setting: string, address: string) => ({
      name: 'ConfigError',
      message: `PETSTORE_HOST=${host} needs ${setting}, the address that callers use, such as ${address}.`,
    })
    const [production, staging] = ['https://api.example.com/v1', 'https://staging.example.com/v1']
    const env = { PETSTORE_HOST: host }
    assert.throws(() => baseUrl(env), refusal('PETSTORE_PRODUCTION_URL', 'http://ADDRESS:8080/v1'))
    assert.equal(baseUrl({ ...env, PETSTORE_PRODUCTION_URL: production }), production)

    const onStaging = {
      ...env,
      PETSTORE_DEPLOYMENT: 'staging',
      PETSTORE_PRODUCTION_URL: production,
      PETSTORE_PORT: '0',
    }
    assert.throws(() => baseUrl(onStaging), refusal('PETSTORE_STAGING_URL', 'http://ADDRESS:PORT/v1'))
    assert.equal(baseUrl({ ...onStaging, PETSTORE_STAGING_URL: staging }), staging)

    const overTls = {
      ...env,
      PETSTORE_TLS_CERT: 'cert.pem',
      PETSTORE_TLS_KEY: 'key.pem',
      PETSTORE_STAGING_URL: staging,
    }
    assert.throws(() => baseUrl(overTls), refusal('PETSTORE_PRODUCTION_URL', 'https://ADDRESS:8080/v1'))
  }
})
