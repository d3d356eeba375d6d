import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest } from '../../hostile/phases.ts'
import type { Connection } from '../../support/raw.ts'
import { expectAsBefore, megabytes, openCrowd, startAtWork } from '../crowd.ts'
import type { Scenario } from '../scenario.ts'

/** One way to be slow. */
interface Kind {
  what: string
  /** Sent immediately. */
  begins: string
  /** Sent repeatedly, once a second. */
  adds: string
  /** The time within which the service must disconnect it; undefined if it is allowed and answered once it reads. */
  endsWithinSeconds: number | undefined
}

const CLIENTS = 2_000
const CLIENTS_IN_SHORT = 50
/** The service checks timeouts once a second. */
const SLACK_SECONDS = 5
const READS_AFTER_SECONDS = 15

export const slowClients: Scenario = {
  name: 'slow-clients',
  explanation: '10,000 clients send nothing, send slowly, or read late; all but the last must be disconnected in time',
  maxSeconds: 180,
  async run(stage) {
    const { tally, isQuick } = stage
    const { service, creators, before } = await startAtWork(stage)
    const count = isQuick ? CLIENTS_IN_SHORT : CLIENTS
    const kinds = kindsFor(service.key)
    let mostMemory = 0
    const watch = setInterval(() => {
      mostMemory = Math.max(mostMemory, service.memory())
    }, 1_000)
    stage.t.after(() => clearInterval(watch))
    await Promise.all(
      kinds.map(async kind => {
        const clients = await openCrowd(stage, service.port, count, connection => {
          if (kind.endsWithinSeconds === undefined) connection.stopReading()
          connection.write(kind.begins)
        })
        const behaves =
          kind.endsWithinSeconds === undefined
            ? await countAnswered(clients)
            : await countEnded(clients, kind, kind.endsWithinSeconds + SLACK_SECONDS)
        tally.expect(
          behaves === count,
          `${count - behaves} of ${count} clients that ${kind.what} were not handled in time`,
        )
        for (const client of clients) client.destroy()
      }),
    )
    clearInterval(watch)
    await expectAsBefore(stage, service, creators, before)
    const names = kinds.map(({ what }) => what).join(', ')
    tally.note(
      `${count.toLocaleString('en')} clients each that ${names}; the service took at most ${megabytes(mostMemory)} of memory`,
    )
  },
}

function kindsFor(key: string): Kind[] {
  const head = (line: string, headers: string[]) =>
    [line, 'Host: x', `Authorization: Bearer ${key}`, 'Content-Type: application/json', ...headers, '', ''].join('\r\n')
  const create = 'POST /v1/pets HTTP/1.1'
  return [
    { what: 'send nothing', begins: '', adds: '', endsWithinSeconds: 10 },
    { what: 'send headers slowly', begins: 'GET /v1/pets HTTP/1.1\r\nHost: ', adds: 'x', endsWithinSeconds: 10 },
    { what: 'send a body slowly', begins: head(create, ['Content-Length: 1000']), adds: ' ', endsWithinSeconds: 20 },
    {
      what: 'send chunks slowly',
      begins: head(create, ['Transfer-Encoding: chunked']),
      adds: '1\r\n \r\n',
      endsWithinSeconds: 20,
    },
    { what: 'read late', begins: getRequest('/v1/pets?limit=100', key), adds: '', endsWithinSeconds: undefined },
  ]
}

/** Keeps sending, once a second, until the service has disconnected all clients or the time is over. Returns how many it disconnected. */
async function countEnded(clients: readonly Connection[], { adds }: Kind, seconds: number): Promise<number> {
  const ended = () => clients.filter(({ isEnded }) => isEnded).length
  for (let second = 0; second < seconds && ended() < clients.length; second += 1) {
    await sleep(1_000)
    if (adds !== '') for (const client of clients) if (!client.isEnded) client.write(adds)
  }
  return ended()
}

/** Reads late. Returns how many clients got a whole answer. */
async function countAnswered(clients: readonly Connection[]): Promise<number> {
  await sleep(READS_AFTER_SECONDS * 1_000)
  const statuses = await Promise.all(
    clients.map(client => {
      client.startReading()
      return client.answer().then(
        ({ status }) => status,
        () => 0,
      )
    }),
  )
  return statuses.filter(status => status === 200).length
}
