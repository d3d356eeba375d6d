import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertRefused, startOperatorService } from '../support/operator.ts'

// A page of another site can make a browser call this machine under that site's name, and would read the response.

const service = await startOperatorService(
  {
    after,
  },
  { config: { operatorHosts: ['operators.example.com', '*.petstore-operators.petstore.svc'] } },
)
const TARGETS = ['/livez', '/readyz', '/metrics', '/docs', '/admin/v1/session', '/nowhere', '/admin/v1']

test('a foreign host name is refused on every path', async () => {
  for (const host of [
    'evil.test',
    'evil.test:8081',
    'operators.example.com.evil.test',
    'xoperators.example.com',
    'a.operators.example.com',
    'petstore-operators.petstore.svc.evil.test',
    'evil-petstore-operators.petstore.svc',
    'localhost.evil.test',
    '127.0.0.1.evil.test',
    '1.2.3',
    '[evil]',
    'evil.',
    '%65vil',
  ]) {
    for (const target of TARGETS) {
      const answer = await send(target, host)
      assertRefused(answer, 'misdirected_request')
      assert.equal(answer.status, 421)
    }
    assertRefused(await send('/admin/v1/session', host, 'OPTIONS'), 'misdirected_request')
  }
})

test('an address, localhost, a name without a dot and configured names are accepted, in any case and with any port', async () => {
  for (const host of [
    '127.0.0.1',
    '127.0.0.1:1',
    '10.9.8.7:8081',
    '[::1]:8081',
    '[2001:db8::1]',
    'localhost',
    'LocalHost:9',
    'admin.localhost',
    'petstore-1:8081',
    'Operators.Example.com',
    'operators.example.com.',
    '10-1-2-3.petstore-operators.petstore.svc:8081',
    '',
  ]) {
    assert.equal((await send('/livez', host)).status, 200, host)
  }
  assert.equal((await service.send('GET /livez HTTP/1.0\r\n\r\n')).status, 200, 'a probe of HTTP/1.0 names none')
})

test('the host of an absolute request target replaces the Host header', async () => {
  for (const target of TARGETS) {
    assertRefused(await send(`http://evil.test${target}`, '127.0.0.1'), 'misdirected_request')
    assertRefused(await send(`http://127.0.0.1@evil.test${target}`, '127.0.0.1'), 'misdirected_request')
  }
  assert.equal((await send('HTTP://operators.example.com:80/livez', 'evil.test')).status, 200)
})

function send(target: string, host: string, method = 'GET') {
  return service.send(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
}
