import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { logger } from 'hono/logger'
import { rateLimiter } from 'hono-rate-limiter'
import { z } from 'zod'
import * as job from './job.ts'

const { CALLS_PER_MINUTE, INVALID_KEY, isLogging, keyOf, NOT_FOUND, nextLink, port, refusal } = job
const { createPet, findAccount, findPet, listPets } = job

const NewPet = z.object({
  name: z.string().trim().min(1).max(job.MAX_NAME_LENGTH),
  categoryId: z.number().int(),
  status: z.enum(job.STATUSES).default(job.DEFAULT_STATUS),
})
const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(job.MAX_LIMIT).default(job.DEFAULT_LIMIT),
  status: z.enum(job.STATUSES).optional(),
  after: z.coerce.number().int().min(0).default(0),
})

interface Env {
  Variables: { account: string }
}

const app = new Hono<Env>()

if (isLogging) app.use(logger())

app.use(async (context, next) => {
  const account = findAccount(keyOf(context.req.header('Authorization')))
  if (account === undefined) return context.json(INVALID_KEY, 401)
  context.set('account', account)
  return next()
})

app.use(
  rateLimiter<Env>({
    windowMs: 60_000,
    limit: CALLS_PER_MINUTE,
    standardHeaders: 'draft-7',
    keyGenerator: context => context.get('account'),
  }),
)

app.get(
  '/v1/pets',
  zValidator('query', ListQuery, (result, context) =>
    result.success ? undefined : context.json(refusal(400, 'invalid_parameter', result.error.message), 400),
  ),
  context => {
    const { after, limit, status } = context.req.valid('query')
    const pets = listPets(after, limit, status)
    const link = nextLink(pets, limit, status)
    if (link !== undefined) context.header('Link', link)
    return context.json(pets)
  },
)

app.post(
  '/v1/pets',
  zValidator('json', NewPet, (result, context) =>
    result.success ? undefined : context.json(refusal(400, 'invalid_body', result.error.message), 400),
  ),
  context => {
    const pet = createPet(context.req.valid('json'))
    context.header('Location', `/v1/pets/${pet.id}`)
    return context.json(pet, 201)
  },
)

app.get('/v1/pets/:id', context => {
  const id = Number(context.req.param('id'))
  const pet = Number.isSafeInteger(id) ? findPet(id) : undefined
  return pet ? context.json(pet) : context.json(NOT_FOUND, 404)
})

app.onError((error, context) => {
  const status = error instanceof HTTPException ? error.status : 500
  return context.json(refusal(status, 'invalid_request', error.message), status)
})

Bun.serve({ port: Number(port), hostname: '127.0.0.1', fetch: app.fetch })
