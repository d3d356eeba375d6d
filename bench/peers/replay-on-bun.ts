import { readFileSync } from 'node:fs'
import type { RecordedAnswer, RecordedAnswers } from '../record.ts'

/** The floor on Bun: `Bun.serve` with the service's recorded answers. `bun replay-on-bun.ts ANSWERS_FILE PORT`. */
const [answersFile = '', port] = process.argv.slice(2)
const { list, get, create }: RecordedAnswers = JSON.parse(readFileSync(answersFile, 'utf8'))

const answer = ({ status, headers, body }: RecordedAnswer) => new Response(body, { status, headers })

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  routes: {
    '/v1/pets': {
      GET: () => answer(list),
      POST: async request => {
        await request.json()
        return answer(create)
      },
    },
    '/v1/pets/:id': () => answer(get),
  },
})
