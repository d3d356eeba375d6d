import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { RecordedAnswers } from './record.ts'

/**
 * The baseline for the service: a minimal `node:http` server that sends the same bytes and headers.
 * `node bare-server.ts ANSWERS_FILE fresh|constant PORT`. README.md explains why this is fair.
 */
const [answersFile = '', freshness, port] = process.argv.slice(2)
const { list, get, create }: RecordedAnswers = JSON.parse(readFileSync(answersFile, 'utf8'))
const answer = freshness === 'constant' ? answerConstantly : answerFreshly
let remaining = 999_999_999

// The recorded answers contain the service's keep-alive timeout.
createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  if (request.method === 'POST') {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => {
      JSON.parse(text)
      answer(response, create)
    })
  } else {
    answer(response, request.url === '/v1/pets' ? list : get)
  }
}).listen(Number(port), '127.0.0.1')

/** Three of the service's headers differ in every answer. */
function answerFreshly(response: ServerResponse, { status, headers, body }: RecordedAnswers['list']): void {
  remaining--
  response.writeHead(status, {
    ...headers,
    'X-RateLimit-Remaining': remaining,
    RateLimit: `"minute";r=${remaining};t=60, "day";r=${remaining};t=43200`,
    'X-Request-Id': randomUUID(),
  })
  response.end(body)
}

function answerConstantly(response: ServerResponse, { status, headers, body }: RecordedAnswers['list']): void {
  response.writeHead(status, headers)
  response.end(body)
}
