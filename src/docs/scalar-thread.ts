import { parentPort } from 'node:worker_threads'
import fastifyApiReference from '@scalar/fastify-api-reference'

// Scalar publishes its browser script in two packages: one with 270 dependencies, and a Fastify plugin with a dozen.
// This object has just enough of Fastify for the plugin to hand over the script.

interface Route {
  url: string
  handler(request: undefined, reply: Reply): void
}

interface Reply {
  header(): Reply
  send(content: string): void
}

let script: Uint8Array<ArrayBuffer> | undefined

const reply: Reply = {
  header: () => reply,
  send: content => {
    script = new TextEncoder().encode(content)
  },
}

const fastify = {
  initialConfig: {},
  route({ url, handler }: Route) {
    if (url.endsWith('/scalar.js')) handler(undefined, reply)
  },
}

fastifyApiReference(fastify as never, { configuration: { url: '/openapi.json' } }, () => {})
if (!script) throw new Error('@scalar/fastify-api-reference no longer registers its script.')
parentPort?.postMessage(script, [script.buffer])
