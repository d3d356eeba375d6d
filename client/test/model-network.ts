import type { Decision } from '../../src/domain/rate-limiter.ts'
import type { FakeClock } from './fake-clock.ts'
import type { ModelService } from './model-service.ts'

/** What happens to one request. */
export interface Trip {
  toServiceMs: number
  backMs: number
  fault?: Fault | undefined
}

/** `hangs` is never answered; a `bare` answer has lost its headers on the way; the last two do not come from the service. */
export type Fault = 'request lost' | 'answer lost' | 'hangs' | 'bare' | '502' | '503'

/**
 * The `fetch` of one process, in memory. It records violations: a request that is sent earlier than an answer allowed, or while as many are
 * under way as remain according to the answers.
 */
export class ModelNetwork {
  readonly violations: string[] = []
  readonly sentAt: number[] = []
  readonly statuses: number[] = []
  readonly #clock: FakeClock
  readonly #service: ModelService
  readonly #nextTrip: () => Trip
  readonly #known = new Map<string, { remaining: number; resetsAt: number }>()
  #notBefore = 0
  #underway = 0

  constructor(clock: FakeClock, service: ModelService, nextTrip: () => Trip) {
    this.#clock = clock
    this.#service = service
    this.#nextTrip = nextTrip
  }

  readonly fetch = (_: unknown, { signal }: RequestInit = {}): Promise<Response> => {
    this.#noteRequest()
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    let isOver = false
    const end = (settle: () => void) => {
      if (isOver) return
      isOver = true
      this.#underway -= 1
      settle()
    }
    signal?.addEventListener('abort', () => end(() => reject(signal.reason)))
    const fail = () => end(() => reject(new TypeError('fetch failed')))
    const { toServiceMs, backMs, fault } = this.#nextTrip()
    this.#clock.after(toServiceMs, () => {
      if (fault === 'request lost') return fail()
      const { decision, response } = this.#service.answer(this.#clock.now())
      // The client cannot obey a refusal that it never receives.
      const met = response.status === 429 && fault !== 'bare' ? undefined : fault
      if (met === 'hangs') return
      this.#clock.after(backMs, () => {
        if (met === 'answer lost') fail()
        else end(() => resolve(this.#deliver(decision, faulty(response, met))))
      })
    })
    return promise
  }

  #noteRequest(): void {
    const now = this.#clock.now()
    if (now < this.#notBefore) this.violations.push(`sent at ${now}, but must wait until ${this.#notBefore}`)
    for (const [name, { remaining, resetsAt }] of this.#known) {
      if (resetsAt > now && this.#underway >= remaining) {
        this.violations.push(
          `sent at ${now} beside ${this.#underway}, and ${remaining} remain of the ${name} until ${resetsAt}`,
        )
      }
    }
    this.sentAt.push(now)
    this.#underway += 1
  }

  #deliver({ outcome, windows }: Decision, response: Response): Response {
    const { status, headers } = response
    this.statuses.push(status)
    this.#notBefore = Math.max(this.#notBefore, this.#clock.now() + Number(headers.get('retry-after')) * 1_000)
    if (outcome !== 'banned' && headers.has('ratelimit')) for (const window of windows) this.#noteWindow(window)
    return response
  }

  #noteWindow({ name, remaining, resetsAt }: Decision['windows'][number]): void {
    const known = this.#known.get(name)
    if (known && known.resetsAt > resetsAt) return
    const fewest = known?.resetsAt === resetsAt ? Math.min(known.remaining, remaining) : remaining
    this.#known.set(name, { remaining: fewest, resetsAt })
  }
}

/** What happens to an answer on its way. */
function faulty(response: Response, fault: Fault | undefined): Response {
  if (fault === 'bare') return new Response(response.body, { status: response.status, headers: { link: '' } })
  if (fault === '502') return new Response('<html>', { status: 502 })
  if (fault === '503') return new Response('{}', { status: 503, headers: { 'retry-after': '2' } })
  return response
}
