/** The store temporarily cannot be read or written (a full disk, a lost connection); the caller may retry. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** The disk of the store is full. Nothing was written, and nothing can be until there is space again. */
export class StoreFull extends StoreUnavailable {
  override readonly name = 'StoreFull'

  constructor(cause: unknown) {
    super('The disk of the store is full. Nothing was written; free some space, then try again.', { cause })
  }
}

/** Others held a lock, or kept the store busy, for too long. */
export class StoreBusy extends StoreUnavailable {
  override readonly name = 'StoreBusy'

  constructor(cause: unknown) {
    super('The store was busy with other work for too long; retry shortly.', { cause })
  }
}

/** The data in the store is not what was written to it. It is not served: callers see an unavailable store. */
export class StoreDamaged extends StoreUnavailable {
  override readonly name = 'StoreDamaged'
}

/** An operator's request cannot be carried out. The message is a complete explanation. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly kind: UserErrorKind
  /** The JSON name of the input member that caused it, if there is exactly one. */
  readonly member: string | undefined

  constructor(kind: UserErrorKind, message: string, member?: string) {
    super(message)
    this.kind = kind
    this.member = member
  }
}

/**
 * `invalid`: never possible, whatever the store and the files contain. `not_found`: the object does not exist. `conflict`: not possible in
 * the current state. `changed`: the object has changed since the operator read it. `unknown_encoding`: the encoding of a file must be given.
 * `full`: a disk has no room.
 */
type UserErrorKind = 'invalid' | 'not_found' | 'conflict' | 'changed' | 'unknown_encoding' | 'full'

export const invalid = (message: string, member?: string) => new UserError('invalid', message, member)
export const notFound = (message: string, member?: string) => new UserError('not_found', message, member)
export const conflict = (message: string, member?: string) => new UserError('conflict', message, member)
