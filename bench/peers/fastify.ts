import rateLimit from '@fastify/rate-limit'
import { type FastifyError, fastify } from 'fastify'
import {
  CALLS_PER_MINUTE,
  DEFAULT_LIMIT,
  DEFAULT_STATUS,
  INVALID_KEY,
  isLogging,
  keyOf,
  MAX_LIMIT,
  MAX_NAME_LENGTH,
  type NewPet,
  NOT_FOUND,
  nextLink,
  port,
  refusal,
  STATUSES,
  type Status,
} from './job.ts'
import { createPet, findAccount, findPet, listPets } from './store-on-node.ts'

const status = { type: 'string', enum: STATUSES } as const
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: '\\S' },
    categoryId: { type: 'integer' },
    status: { ...status, default: DEFAULT_STATUS },
  },
} as const
const pet = { type: 'object', properties: { id: { type: 'integer' }, ...newPet.properties, status } } as const
const listQuery = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    status,
    after: { type: 'integer', minimum: 0, default: 0 },
  },
} as const

const app = fastify({ logger: isLogging, bodyLimit: 65_536, ajv: { customOptions: { coerceTypes: true } } })
app.decorateRequest('account', '')

declare module 'fastify' {
  interface FastifyRequest {
    account: string
  }
}

app.addHook('onRequest', async (request, reply) => {
  const account = findAccount(keyOf(request.headers.authorization))
  if (account === undefined) return reply.code(401).send(INVALID_KEY)
  request.account = account
})

await app.register(rateLimit, {
  max: CALLS_PER_MINUTE,
  timeWindow: '1 minute',
  keyGenerator: request => request.account,
})

app.get<{ Querystring: { limit: number; status?: Status; after: number } }>(
  '/v1/pets',
  { schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } } },
  async ({ query }, reply) => {
    const pets = listPets(query.after, query.limit, query.status)
    const link = nextLink(pets, query.limit, query.status)
    if (link !== undefined) reply.header('Link', link)
    return pets
  },
)

app.post<{ Body: NewPet }>(
  '/v1/pets',
  { schema: { body: newPet, response: { 201: pet } } },
  async ({ body }, reply) => {
    const created = createPet(body)
    return reply.code(201).header('Location', `/v1/pets/${created.id}`).send(created)
  },
)

app.get<{ Params: { id: string } }>(
  '/v1/pets/:id',
  { schema: { response: { 200: pet } } },
  async ({ params }, reply) => {
    const id = Number(params.id)
    const found = Number.isSafeInteger(id) ? findPet(id) : undefined
    return found ?? reply.code(404).send(NOT_FOUND)
  },
)

app.setErrorHandler<FastifyError>(({ statusCode = 500, message }, _request, reply) =>
  reply.code(statusCode).send(refusal(statusCode, 'invalid_request', message)),
)

await app.listen({ port: Number(port), host: '127.0.0.1' })
