import type { Logger } from 'pino'
import { DAY_MS } from '../domain/time.ts'
import type { Listener } from '../http/listener.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { KeyPair } from '../tls/key-pair.ts'
import { RenewableKeyPair } from '../tls/renewable-key-pair.ts'
import { daysLeft, namesOf, validityOf } from '../tls/validity.ts'
import { hostnameOf, judgeCertificate, LISTENERS } from './checks/certificates.ts'
import { fail, type Verdict, warn } from './checks/verdict.ts'
import type { Config, ListenerName } from './config.ts'

interface Reports {
  log: Logger
  metrics: Metrics
}

/** The newest certificates of the listeners that speak HTTPS. Reports their renewal and problems to operators. */
export class Certificates {
  readonly #pairs: ReadonlyMap<ListenerName, RenewableKeyPair>
  readonly #reports: Reports
  readonly #listeners = new Map<ListenerName, Listener>()
  #remindedAt = Number.NEGATIVE_INFINITY

  /** @throws UserError if one of them cannot be used */
  static async open(config: Config, reports: Reports, now: number): Promise<Certificates> {
    const pairs = new Map<ListenerName, RenewableKeyPair>()
    for (const name of LISTENERS) {
      const files = config.tls[name]
      if (files) pairs.set(name, await RenewableKeyPair.open(files, hostnameOf(name, config)))
    }
    const certificates = new Certificates(pairs, reports)
    for (const [name, { current }] of pairs) certificates.#report(name, current, 'certificate loaded')
    certificates.#remind(now)
    return certificates
  }

  private constructor(pairs: ReadonlyMap<ListenerName, RenewableKeyPair>, reports: Reports) {
    this.#pairs = pairs
    this.#reports = reports
  }

  /** The current certificate of a listener; undefined if it speaks plain HTTP. */
  of(name: ListenerName): KeyPair | undefined {
    return this.#pairs.get(name)?.current
  }

  /** From now on, passes every renewed certificate to this listener. */
  renewOn(name: ListenerName, listener: Listener): void {
    this.#listeners.set(name, listener)
  }

  daysLeft(now: number): Record<string, number> {
    return Object.fromEntries([...this.#pairs].map(([name, { current }]) => [name, daysLeft(validityOf(current), now)]))
  }

  /** Says in one verdict what is wrong with a listener's certificate, also with new files that cannot be used. */
  check(name: ListenerName, now: number): Verdict[] {
    const pair = this.#pairs.get(name)
    if (!pair) return []
    const verdicts = judgeCertificate(name, pair, now)
    if (pair.refused !== undefined) verdicts.push(warn(`${pair.refused} The previous certificate stays in use.`))
    const problems = verdicts.filter(({ outcome }) => outcome !== 'ok')
    if (problems.length === 0) return verdicts
    const judge = problems.some(({ outcome }) => outcome === 'fail') ? fail : warn
    return [judge(problems.map(({ message }) => message).join(' '))]
  }

  /** Checks for renewed files. A failure for one listener does not affect the other. */
  async refresh(now: number): Promise<void> {
    await Promise.all([...this.#pairs].map(([listener, pair]) => this.#refreshPair(listener, pair, now)))
    if (now - this.#remindedAt >= DAY_MS) this.#remind(now)
  }

  async #refreshPair(listener: ListenerName, pair: RenewableKeyPair, now: number): Promise<void> {
    const found = await pair.refresh(now)
    if (!found) return
    if ('problem' in found) {
      this.#reportRefused(listener, found.problem)
    } else {
      this.#listeners.get(listener)?.renew(found.renewed)
      this.#report(listener, found.renewed, 'certificate renewed')
      this.#reportProblems(listener, pair, now)
    }
  }

  #report(listener: ListenerName, pair: KeyPair, event: string): void {
    const { log, metrics } = this.#reports
    const validity = validityOf(pair)
    metrics.certificateExpiry.set({ listener }, validity.until / 1_000)
    log.info({ listener, names: namesOf(pair), validUntil: new Date(validity.until) }, event)
  }

  #reportRefused(listener: ListenerName, problem: string): void {
    this.#reports.log.error({ listener, problem }, 'the new certificate cannot be used; the previous one stays in use')
  }

  #reportProblems(listener: ListenerName, pair: RenewableKeyPair, now: number): void {
    for (const { kind, words } of pair.problems(now)) {
      const level = kind === 'expiring' ? 'warn' : 'error'
      this.#reports.log[level]({ listener, file: pair.files.cert.path }, `the certificate ${words}`)
    }
  }

  #remind(now: number): void {
    this.#remindedAt = now
    for (const [listener, pair] of this.#pairs) {
      this.#reportProblems(listener, pair, now)
      if (pair.refused !== undefined) this.#reportRefused(listener, pair.refused)
    }
  }
}
