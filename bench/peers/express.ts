import express from 'express'
import { rateLimit } from 'express-rate-limit'
import morgan from 'morgan'
import { CALLS_PER_MINUTE, INVALID_KEY, isLogging, keyOf, NOT_FOUND, nextLink, port, refusal } from './job.ts'
import { ListQuery, NewPet, PetId } from './schema.ts'
import { createPet, findAccount, findPet, listPets } from './store-on-node.ts'

const app = express()
app.disable('x-powered-by')

if (isLogging) app.use(morgan('combined'))

app.use((request, response, next) => {
  const account = findAccount(keyOf(request.headers.authorization))
  if (account === undefined) {
    response.status(401).json(INVALID_KEY)
  } else {
    response.locals.account = account
    next()
  }
})

app.use(
  rateLimit({
    windowMs: 60_000,
    limit: CALLS_PER_MINUTE,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (_request, response) => response.locals.account,
  }),
)

app.use(express.json({ limit: '64kb' }))

app.get('/v1/pets', (request, response) => {
  const query = ListQuery.safeParse(request.query)
  if (!query.success) return void response.status(400).json(refusal(400, 'invalid_parameter', query.error.message))
  const { after, limit, status } = query.data
  const pets = listPets(after, limit, status)
  const link = nextLink(pets, limit, status)
  if (link !== undefined) response.set('Link', link)
  response.json(pets)
})

app.post('/v1/pets', (request, response) => {
  const body = NewPet.safeParse(request.body)
  if (!body.success) return void response.status(400).json(refusal(400, 'invalid_body', body.error.message))
  const pet = createPet(body.data)
  response.status(201).location(`/v1/pets/${pet.id}`).json(pet)
})

app.get('/v1/pets/:id', (request, response) => {
  const params = PetId.safeParse(request.params)
  const pet = params.success ? findPet(params.data.id) : undefined
  if (pet) response.json(pet)
  else response.status(404).json(NOT_FOUND)
})

app.use((error: Error & { status?: number }, _request: express.Request, response: express.Response, _next: unknown) => {
  const status = error.status ?? 500
  response.status(status).json(refusal(status, 'invalid_request', error.message))
})

app.listen(Number(port), '127.0.0.1')
