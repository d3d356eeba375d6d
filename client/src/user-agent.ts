/** The version of this package. A test compares it with package.json. */
export const VERSION = '1.1.0'

/**
 * The header that names this client and its version. Pages cannot set `User-Agent`: some browsers drop it, others ask the service for
 * permission first. The service allows pages to send `X-Petstore-Client`; as `Authorization` needs a preflight anyway, it costs none.
 */
export const CLIENT_HEADER = { [isBrowser() ? 'x-petstore-client' : 'user-agent']: `petstore-client-js/${VERSION}` }

/** Node, Bun, Deno and other servers have a `userAgent` of their own, or none. */
function isBrowser(): boolean {
  return globalThis.navigator?.userAgent?.startsWith('Mozilla/') ?? false
}
