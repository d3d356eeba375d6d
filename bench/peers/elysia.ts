import { Elysia, t } from 'elysia'
import { rateLimit } from 'elysia-rate-limit'
import logixlysia from 'logixlysia'
import * as job from './job.ts'

const { CALLS_PER_MINUTE, INVALID_KEY, isLogging, keyOf, NOT_FOUND, nextLink, port, refusal } = job
const { createPet, findAccount, findPet, listPets } = job

const Status = t.Union([t.Literal('available'), t.Literal('pending'), t.Literal('sold')])
const NewPet = t.Object({
  name: t.String({ minLength: 1, maxLength: job.MAX_NAME_LENGTH, pattern: '\\S' }),
  categoryId: t.Integer(),
  status: t.Optional(Status),
})
const ListQuery = t.Object({
  limit: t.Integer({ minimum: 1, maximum: job.MAX_LIMIT, default: job.DEFAULT_LIMIT }),
  status: t.Optional(Status),
  after: t.Integer({ minimum: 0, default: 0 }),
})

const app = new Elysia()
  .onError(({ code, error, set }) => {
    if (code === 'VALIDATION' || code === 'PARSE') {
      set.status = 400
      return refusal(400, 'invalid_request', error.message)
    }
    return undefined
  })
  .derive(({ headers }) => ({ account: findAccount(keyOf(headers.authorization)) }))
  .onBeforeHandle(({ account, status }) => (account === undefined ? status(401, INVALID_KEY) : undefined))

if (isLogging) app.use(logixlysia({ config: { showStartupMessage: false } }))
app.use(
  rateLimit({
    duration: 60_000,
    max: CALLS_PER_MINUTE,
    generator: (_request, _server, derived) => derived.account,
  }),
)

app
  .get(
    '/v1/pets',
    ({ query: { after, limit, status }, set }) => {
      const pets = listPets(after, limit, status)
      const link = nextLink(pets, limit, status)
      if (link !== undefined) set.headers.link = link
      return pets
    },
    { query: ListQuery },
  )
  .post(
    '/v1/pets',
    ({ body: { name, categoryId, status = job.DEFAULT_STATUS }, set }) => {
      const pet = createPet({ name, categoryId, status })
      set.status = 201
      set.headers.location = `/v1/pets/${pet.id}`
      return pet
    },
    { body: NewPet },
  )
  .get('/v1/pets/:id', ({ params, status }) => {
    const id = Number(params.id)
    const pet = Number.isSafeInteger(id) ? findPet(id) : undefined
    return pet ?? status(404, NOT_FOUND)
  })
  .listen({ port: Number(port), hostname: '127.0.0.1' })
