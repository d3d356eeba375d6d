import { randomUUID } from 'node:crypto'

/** Keeps a well-formed id that the client sent, so that its log and ours can be joined; else makes one. A key, a token or a session's secret is no id. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' &&
    /^(?!.*petstore_(?:(?:operator_)?(?:live|test)|session|csrf)_)[A-Za-z0-9._~:/+=@-]{1,128}$/.test(sent)
    ? sent
    : randomUUID()
}
