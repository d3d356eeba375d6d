import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidServers, nameOf, placeOf, readServers } from './servers.ts'

const READ_WRITE = 'target_session_attrs=read-write'

test('several hosts are read as libpq reads them', () => {
  const cases: Record<string, string[]> = {
    [`postgres://u:p@a:5432,b:5433/db?${READ_WRITE}`]: ['a:5432', 'b:5433'],
    [`postgresql://u@a,b:5433,c:/db?${READ_WRITE}`]: ['a:5432', 'b:5433', 'c:5432'],
    [`postgres://u:p@[::1]:5433,[fe80::2],10.0.0.1/db?${READ_WRITE}`]: [
      '[::1]:5433',
      '[fe80::2]:5432',
      '10.0.0.1:5432',
    ],
    [`postgres:///db?host=a,b&port=5433,5434&${READ_WRITE}`]: ['a:5433', 'b:5434'],
    [`postgres:///db?host=a,b&port=5433&${READ_WRITE}`]: ['a:5433', 'b:5433'],
    [`postgres:///db?host=a,b&port=,5434&${READ_WRITE}`]: ['a:5432', 'b:5434'],
    [`postgres://u:p@ignored:1/db?host=a%2Cb&${READ_WRITE}`]: ['a:5432', 'b:5432'],
    [`postgres://u:p@a,b/db?port=6000&${READ_WRITE}`]: ['a:6000', 'b:6000'],
    'postgres://a,b/db?target_session_attrs=primary': ['a:5432', 'b:5432'],
  }
  for (const [url, places] of Object.entries(cases))
    assert.deepEqual(readServers(url)?.servers.map(placeOf), places, url)
})

test('the driver gets one host, and everything else unchanged', () => {
  const url = 'postgres://u:p%2C%40@a:1,b:2/db?options=-csearch_path%3Dx&host=c,d&sslmode=verify-full&'
  assert.deepEqual(readServers(url + READ_WRITE), {
    url: 'postgres://u:p%2C%40@localhost/db?options=-csearch_path%3Dx&sslmode=verify-full',
    servers: [
      { host: 'c', port: 5_432 },
      { host: 'd', port: 5_432 },
    ],
    attributes: 'read-write',
  })
})

test('a URL with one host stays as it is', () => {
  for (const url of [
    'postgres://u:p@a:5433/db',
    'postgres://u:p,q@a/db',
    'postgres:///db?host=/run/postgresql',
    'postgres://a/db?port=6432',
  ]) {
    assert.deepEqual(readServers(url), { url, servers: [], attributes: 'any' })
    assert.deepEqual(readServers(`${url}${url.includes('?') ? '&' : '?'}${READ_WRITE}`)?.attributes, 'read-write')
  }
})

test('any other URL is left to the driver', () => {
  for (const text of ['', 'mysql://a,b/db', 'a,b', 'postgres:db']) assert.equal(readServers(text), undefined)
})

test('a list that cannot be used is refused, and no part of it is shown', () => {
  const cases: Record<string, RegExp> = {
    'postgres://u:secret@a,b/db': /several hosts, so it must also have target_session_attrs=read-write/,
    'postgres://u:secret@a,b/db?target_session_attrs=any': /must also have target_session_attrs=read-write/,
    'postgres://u:secret@a,b/db?target_session_attrs=standby': /the service writes, so it cannot use a standby/,
    'postgres://u:secret@a/db?target_session_attrs=prefer-standby': /cannot use a standby/,
    [`postgres://u:secret@a,,b/db?${READ_WRITE}`]: /must list each host as host:port/,
    [`postgres://u:secret@a:0,b/db?${READ_WRITE}`]: /ports from 1 to 65535/,
    [`postgres://u:secret@a:65536,b/db?${READ_WRITE}`]: /ports from 1 to 65535/,
    [`postgres://u:secret@a:x,b/db?${READ_WRITE}`]: /must list each host as host:port/,
    [`postgres://u:secret@[::1,b/db?${READ_WRITE}`]: /must list each host as host:port/,
    [`postgres://u:secret@%zz,b/db?${READ_WRITE}`]: /must list each host as host:port/,
    [`postgres://u:secret@a,b/db?port=1,2,3&${READ_WRITE}`]: /one port for all hosts, or as many ports as hosts/,
    [`postgres://u:secret@a/db?port=1,2&${READ_WRITE}`]: /one port for all hosts, or as many ports as hosts/,
    [`postgres:///db?host=a&host=b&${READ_WRITE}`]: /the parameter host only once; separate several by commas/,
    'postgres://u:secret,x/y@a/db': /must be percent-encoded/,
  }
  for (const [url, message] of Object.entries(cases)) {
    assert.throws(
      () => readServers(url),
      (error: unknown) => {
        assert.ok(error instanceof InvalidServers)
        assert.match(error.message, message, url)
        assert.doesNotMatch(error.message, /secret|%zz|\/db/)
        return true
      },
    )
  }
})

test('the name of a database shows its servers, and no secret', () => {
  assert.equal(nameOf(`postgres://u:secret@a:1,b/db?password=secret&${READ_WRITE}`), 'a:1,b:5432/db')
  assert.equal(nameOf('postgres://u:secret@a:5433/db'), 'a:5433/db')
  assert.equal(nameOf('postgres:///db?host=/run/postgresql'), '/run/postgresql/db')
})
