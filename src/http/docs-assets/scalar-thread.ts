import { parentPort } from 'node:worker_threads'
import fastifyApiReference from '@scalar/fastify-api-reference'

// Scalar publishes its ready-made script in two packages: one that brings 270 others along, and a plugin for Fastify that brings a
// dozen. The plugin is shown just enough of Fastify to hand the script over.

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
if (!script) throw new Error('@scalar/fastify-api-reference does not hand over its script any more.')
parentPort?.postMessage(script, [script.buffer])
