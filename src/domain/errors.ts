/** The store cannot be read or written for the moment (a full disk, a lost connection); the caller may retry. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** The data in the store is not what was written to it. It is not served; to callers, the store is unavailable. */
export class StoreDamaged extends StoreUnavailable {
  override readonly name = 'StoreDamaged'
}

/** An operator asked for something that cannot be done. The message explains it completely. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly kind: UserErrorKind
  /** The one part of the input that it concerns, by its name in JSON. */
  readonly member: string | undefined

  constructor(kind: UserErrorKind, message: string, member?: string) {
    super(message)
    this.kind = kind
    this.member = member
  }
}

/**
 * `invalid`: never possible, whatever is in the store and in files; `not_found`: it does not exist; `conflict`: not possible in the
 * current state; `changed`: it is no longer as the operator expects it.
 */
type UserErrorKind = 'invalid' | 'not_found' | 'conflict' | 'changed'
