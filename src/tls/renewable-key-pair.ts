import { isDeepStrictEqual } from 'node:util'
import { UserError } from '../domain/errors.ts'
import { type KeyPair, type KeyPairFiles, type PemTexts, parseKeyPair, readPemFiles } from './key-pair.ts'
import { findProblems, type KeyPairProblem } from './key-pair-problems.ts'
import { stateOf, validityOf } from './validity.ts'

/** The result of a check: a newer pair, or why the files cannot be used. */
type Found = { renewed: KeyPair } | { problem: string }

/**
 * The newest usable key pair of two files. Polls the files instead of watching them: tools rename them, overwrite them or change symbolic
 * links, and no notification covers all of these on every file system.
 */
export class RenewableKeyPair {
  readonly files: KeyPairFiles
  readonly #hostname: string | undefined
  #current: KeyPair
  /** The texts that `#current` was read from. */
  #used: PemTexts
  /** The contents of the files at the last check, or why they could not be read. */
  #seen: PemTexts | string
  /** The last problem that was reported. */
  #reported: string | undefined

  /**
   * @param hostname the host that the certificate must cover, if any
   * @throws UserError if there is no pair that can be read
   */
  static async open(files: KeyPairFiles, hostname?: string): Promise<RenewableKeyPair> {
    const texts = await readPemFiles(files)
    return new RenewableKeyPair(files, hostname, texts, parseKeyPair(texts, files))
  }

  private constructor(files: KeyPairFiles, hostname: string | undefined, texts: PemTexts, pair: KeyPair) {
    this.files = files
    this.#hostname = hostname
    this.#current = pair
    this.#used = texts
    this.#seen = texts
  }

  get current(): KeyPair {
    return this.#current
  }

  problems(now: number): KeyPairProblem[] {
    return findProblems(this.#current, { now, hostname: this.#hostname })
  }

  /** Why the files no longer have the current pair, but one that cannot be used; undefined if they can be used. */
  get refused(): string | undefined {
    return this.#reported
  }

  /**
   * Checks the files again. New contents are used once two checks in a row have found them, because a tool may still be writing: the key a
   * moment after the certificate, or the rest of the chain. A problem is reported once.
   */
  async refresh(now: number): Promise<Found | undefined> {
    const found = await readPemFiles(this.files).catch(messageOf)
    const isSettled = isDeepStrictEqual(found, this.#seen)
    this.#seen = found
    if (isDeepStrictEqual(found, this.#used)) {
      this.#reported = undefined
      return undefined
    }
    if (!isSettled) return undefined
    const result = this.#examine(found, now)
    if ('problem' in result) {
      if (result.problem === this.#reported) return undefined
      this.#reported = result.problem
      return result
    }
    this.#reported = undefined
    this.#current = result.renewed
    this.#used = found as PemTexts
    return result
  }

  /** A pair that works is only replaced by one that has no further problem. */
  #examine(found: PemTexts | string, now: number): Found {
    if (typeof found === 'string') return { problem: found }
    try {
      const renewed = parseKeyPair(found, this.files)
      if (!isInForce(validityOf(this.#current), now)) return { renewed }
      const known = new Set(['expiring', ...this.problems(now).map(({ kind }) => kind)])
      const circumstances = { now, hostname: this.#hostname, former: this.#current }
      const further = findProblems(renewed, circumstances).filter(({ kind }) => !known.has(kind))
      if (further.length === 0) return { renewed }
      const { setting, path } = this.files.cert
      return { problem: `${setting}: ${path} ${further.map(({ words }) => words).join('; it ')}.` }
    } catch (error) {
      return { problem: messageOf(error) }
    }
  }
}

function isInForce(validity: { from: number; until: number }, now: number): boolean {
  const state = stateOf(validity, now)
  return state === 'valid' || state === 'soon'
}

/** @throws any error other than a UserError */
function messageOf(error: unknown): string {
  if (error instanceof UserError) return error.message
  throw error
}
