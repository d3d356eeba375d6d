import { type BanPolicy, banAfter, nextBan, type Strikes, strike } from '../../src/domain/ban.ts'
import type { Limits } from '../../src/domain/plan.ts'
import { bannedDecision, type Counts, type Decision, spend, windowsOf } from '../../src/domain/rate-limiter.ts'
import { headersIn } from '../../src/http/header-lines.ts'
import { refusalUnlessAdmitted } from '../../src/public/admit.ts'
import { limitLines } from '../../src/public/limit-headers.ts'

const SOURCE = '192.0.2.7'
const POLICY: BanPolicy = { after: undefined, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }

/** The service's own rules of limits and bans around an empty catalogue: one account, one key, no network. */
export class ModelService {
  bans = 0
  limits: Limits
  #counts: Counts = {}
  #strikes: (Strikes & { windowResetsAt: number }) | undefined
  #bannedUntil = Number.NEGATIVE_INFINITY

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Another key of the account uses up calls. */
  spend(now: number): void {
    this.#counts = spend(this.#counts, this.limits, now).counts
  }

  ban(now: number): void {
    this.bans += 1
    const [minute] = windowsOf(this.#counts, this.limits, now)
    this.#bannedUntil = nextBan(undefined, SOURCE, minute, now, POLICY).endsAt
  }

  liftBan(): void {
    this.#bannedUntil = Number.NEGATIVE_INFINITY
  }

  answer(now: number): { decision: Decision; response: Response } {
    const decision = this.#consume(now)
    const refusal = refusalUnlessAdmitted(decision)
    const headers = new Headers({ link: '</v1/pets>; rel="first"', ...refusal?.headers })
    const pairs = headersIn(limitLines(decision))
    for (let index = 0; index < pairs.length; index += 2)
      headers.set(pairs[index] as string, pairs[index + 1] as string)
    const body = refusal ? { code: refusal.code, message: refusal.message, status: 429 } : []
    return { decision, response: new Response(JSON.stringify(body), { status: refusal ? 429 : 200, headers }) }
  }

  #consume(now: number): Decision {
    if (now < this.#bannedUntil) return this.#banned(now)
    const { admitted, counts, decision } = spend(this.#counts, this.limits, now)
    this.#counts = counts
    if (admitted) return decision
    const { resetsAt } = decision.shown
    const known = this.#strikes?.windowResetsAt === resetsAt ? this.#strikes : undefined
    const { strikes, earnsBan } = strike(known, now, banAfter(POLICY, this.limits), POLICY.withinSeconds)
    this.#strikes = { ...strikes, windowResetsAt: resetsAt }
    if (!earnsBan) return decision
    this.ban(now)
    return this.#banned(now)
  }

  #banned(now: number): Decision {
    return bannedDecision(windowsOf(this.#counts, this.limits, now), this.#bannedUntil, now)
  }
}
