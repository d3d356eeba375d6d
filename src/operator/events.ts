import { Readable } from 'node:stream'
import type { Permit, PermitFault } from '../domain/permit.ts'
import type { OperatorStore } from '../domain/store/operators.ts'
import type { Versions } from '../domain/store/revision.ts'

/** Opening more streams with one token ends its oldest ones. */
const MAX_STREAMS_PER_TOKEN = 10
const LOOK_EVERY_MS = 500
/** Proxies cut connections that are silent for a minute or less. */
const KEEP_ALIVE_MS = 15_000
/** How long a browser waits before it reconnects. */
const RETRY_MS = 5_000

interface Dependencies {
  store: Pick<OperatorStore, 'readVersions' | 'findPermitFault'>
  isStopping(): boolean
  now(): number
  keepAliveMs?: number
}

interface Listener {
  permit: Permit
  /** When the token or the session expires, in Unix milliseconds. */
  expiresAt: number | undefined
}

/** Something that ends when its listener may no longer have it. */
interface Followed extends Listener {
  /** The version of the audit log at which the listener was last known to be valid. */
  validAt: string
  end(fault: PermitFault): void
}

interface Stream extends Listener {
  body: Readable
  /** The last versions that were sent, as text. */
  sent: string
  /** When something was last sent, by `performance.now`. */
  sentAt: number
}

/**
 * Notifies operators of changes with server-sent events. One timer polls the store for all of them, and only while at least one is listening.
 * A client that falls behind receives only the newest versions when it reads again.
 */
export class Events {
  readonly #dependencies: Dependencies
  /** Oldest first. */
  readonly #streams = new Set<Stream>()
  readonly #followed = new Set<Followed>()
  #timer: NodeJS.Timeout | undefined

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Opens a stream that starts with the current versions. */
  async open(listener: Listener): Promise<Readable> {
    const versions = await this.#dependencies.store.readVersions()
    const own = [...this.#streams].filter(({ permit }) => permit.tokenId === listener.permit.tokenId)
    for (const oldest of own.slice(0, Math.max(0, own.length + 1 - MAX_STREAMS_PER_TOKEN))) this.#end(oldest)
    const body = new Readable({ read() {} })
    const stream = { ...listener, body, sent: '', sentAt: 0 }
    const stopFollowing = this.follow(listener, () => this.#end(stream))
    body.once('close', () => {
      this.#streams.delete(stream)
      stopFollowing()
    })
    this.#streams.add(stream)
    this.#send(stream, versions, `retry: ${RETRY_MS}\n`)
    return body
  }

  /**
   * Calls `end` once the token or the session of a listener is no longer valid.
   * @returns a function that must be called when there is nothing left to end
   */
  follow(listener: Listener, end: (fault: PermitFault) => void): () => void {
    const followed = { ...listener, validAt: '', end }
    this.#followed.add(followed)
    this.#timer ??= setTimeout(() => this.#look(), LOOK_EVERY_MS)
    return () => this.#followed.delete(followed)
  }

  async #look(): Promise<void> {
    const { store, isStopping, now } = this.#dependencies
    if (isStopping()) for (const stream of this.#streams) this.#end(stream)
    for (const one of this.#followed) {
      if (one.expiresAt !== undefined && one.expiresAt <= now()) this.#endFollowed(one, 'ended')
    }
    // While the store cannot be read, there is nothing to report.
    const versions = this.#followed.size > 0 ? await store.readVersions().catch(() => undefined) : undefined
    // What cannot be checked is checked next time.
    if (versions) await this.#endInvalid(versions.audit).catch(() => {})
    for (const stream of this.#streams) this.#update(stream, versions)
    this.#timer = this.#followed.size > 0 ? setTimeout(() => this.#look(), LOOK_EVERY_MS) : undefined
  }

  /**
   * Revoking a token and ending a session always add an audit entry, so only a new audit version requires a check: one look-up for each token
   * or session, one after the other, because calls need the connections to the store.
   */
  async #endInvalid(audit: string): Promise<void> {
    const { store, now } = this.#dependencies
    const unchecked = [...this.#followed].filter(({ validAt }) => validAt !== audit)
    const byHolder = Map.groupBy(unchecked, ({ permit }) => permit.sessionHash ?? permit.tokenId)
    for (const all of byHolder.values()) {
      const fault = await store.findPermitFault((all[0] as Followed).permit, now())
      for (const one of all) {
        if (fault) this.#endFollowed(one, fault)
        else one.validAt = audit
      }
    }
  }

  #endFollowed(followed: Followed, fault: PermitFault): void {
    this.#followed.delete(followed)
    followed.end(fault)
  }

  #update(stream: Stream, versions: Versions | undefined): void {
    if (stream.body.readableLength > 0) return
    if (versions && JSON.stringify(versions) !== stream.sent) this.#send(stream, versions)
    else if (performance.now() - stream.sentAt >= (this.#dependencies.keepAliveMs ?? KEEP_ALIVE_MS))
      this.#push(stream, ': still here\n\n')
  }

  #send(stream: Stream, versions: Versions, before = ''): void {
    stream.sent = JSON.stringify(versions)
    this.#push(stream, `${before}event: versions\ndata: ${stream.sent}\n\n`)
  }

  #push(stream: Stream, text: string): void {
    stream.sentAt = performance.now()
    stream.body.push(text)
  }

  #end(stream: Stream): void {
    this.#streams.delete(stream)
    stream.body.push(null)
  }
}
