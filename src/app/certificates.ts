import type { Logger } from 'pino'
import type { Listener } from '../http/listener.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { KeyPair } from '../tls/key-pair.ts'
import { RenewableKeyPair } from '../tls/renewable-key-pair.ts'
import { daysLeft, namesOf, validityOf } from '../tls/validity.ts'
import type { Config, ListenerName } from './config.ts'

interface Reports {
  log: Logger
  metrics: Metrics
}

const REMIND_EVERY_MS = 86_400_000

/** The newest certificates of the listeners that speak HTTPS. Reports their renewal and problems to operators. */
export class Certificates {
  readonly #pairs: ReadonlyMap<ListenerName, RenewableKeyPair>
  readonly #reports: Reports
  readonly #listeners = new Map<ListenerName, Listener>()
  #remindedAt = Number.NEGATIVE_INFINITY

  /** @throws UserError if one of them cannot be used */
  static async open({ tls, publicUrls, deployment }: Config, reports: Reports, now: number): Promise<Certificates> {
    const pairs = new Map<ListenerName, RenewableKeyPair>()
    for (const name of ['public', 'operators'] as const) {
      const files = tls[name]
      const hostname = name === 'public' ? URL.parse(publicUrls[deployment] ?? '')?.hostname : undefined
      if (files) pairs.set(name, await RenewableKeyPair.open(files, hostname))
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

  /** The problems of each listener's certificate, as sentences, also of new files that cannot be used. */
  problems(now: number): [listener: ListenerName, problems: string[]][] {
    return [...this.#pairs].map(([name, pair]) => {
      const problems = pair.problems(now).map(({ words }) => `The certificate ${words}.`)
      if (pair.refused !== undefined) problems.push(`${pair.refused} The previous certificate stays in use.`)
      return [name, problems]
    })
  }

  /** Checks for renewed files. A failure for one listener does not affect the other. */
  async refresh(now: number): Promise<void> {
    await Promise.all([...this.#pairs].map(([listener, pair]) => this.#refreshPair(listener, pair, now)))
    if (now - this.#remindedAt >= REMIND_EVERY_MS) this.#remind(now)
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
    metrics.setCertificateExpiry(listener, validity.until)
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
