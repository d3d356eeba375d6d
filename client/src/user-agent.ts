/** The version of this package. A test compares it with package.json. */
export const VERSION = '1.2.0-dev'

/**
 * The header that names this client and its version. Pages cannot set `User-Agent`: some browsers drop it, others need a preflight for
 * it. The service allows pages to send `X-Petstore-Client`, which needs no extra preflight, because `Authorization` needs one anyway.
 */
export const CLIENT_HEADER: Readonly<Record<string, string>> = {
  [isBrowser() ? 'x-petstore-client' : 'user-agent']: `petstore-client-js/${VERSION}`,
}

/** Node, Bun, Deno and other runtimes have a different `userAgent`, or none. */
function isBrowser(): boolean {
  return globalThis.navigator?.userAgent?.startsWith('Mozilla/') ?? false
}
