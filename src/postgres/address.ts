/** The address of a database, without the secrets of its URL. */
export function nameOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  return `${host || searchParams.get('host') || 'localhost'}${pathname}`
}

/**
 * Whether a URL lists several hosts, as libpq accepts them: `a:5432,b:5433` before the path, or the parameter `host=a,b`
 * (postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS).
 */
export function listsHosts(text: string): boolean {
  const [, authority = '', rest = ''] = URL_PARTS.exec(text) ?? []
  // Behind a further @, the commas are part of a password.
  if (authority.includes(',') && !rest.includes('@')) return true
  return URL.parse(`postgres://localhost${rest}`)?.searchParams.getAll('host').join().includes(',') ?? false
}

/** The hosts, without user and password, and what follows them. */
const URL_PARTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)(.*)$/is
