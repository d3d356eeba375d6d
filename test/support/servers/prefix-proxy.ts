import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from '../cleanup.ts'

/** Starts a proxy that serves a service under /shop. It ends with the test. */
export async function startPrefixProxy(t: Cleanup, target: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming
    if (!url.startsWith('/shop/')) return void outgoing.writeHead(418).end()
    const onwards = request(target + url.slice('/shop'.length), { method, headers }, response => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    onwards.on('error', () => outgoing.destroy())
    incoming.pipe(onwards)
  })
  t.after(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
