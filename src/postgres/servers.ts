/** A server of a database URL. */
export interface Server {
  /** A name, an address, or the folder of a local socket. */
  host: string
  port: number
}

/** What a new connection must find: any server, one that can be written, or one that is not a standby. */
export type SessionAttributes = 'any' | 'read-write' | 'primary'

export interface DatabaseServers {
  /** The URL for the driver, which supports at most one host. */
  url: string
  /** In list order; empty if the URL names only one server. */
  servers: readonly Server[]
  attributes: SessionAttributes
}

/** An invalid list of hosts. The message continues a sentence that starts with the name of the setting, and quotes nothing from the URL. */
export class InvalidServers extends Error {
  override readonly name = 'InvalidServers'
}

const DEFAULT_PORT = 5_432
const MAX_PORT = 65_535

/**
 * Parses a URL that may list several hosts, as libpq does: `a:5432,b:5433` before the path, or the parameters `host=a,b` and
 * `port=5432,5433` (postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS).
 * @returns undefined if the text is not such a URL
 * @throws InvalidServers
 */
export function readServers(text: string): DatabaseServers | undefined {
  const [, start = '', authority = '', rest = ''] = URL_PARTS.exec(text) ?? []
  const parameters = URL.parse(`postgres://${PLACEHOLDER}${rest}`)?.searchParams
  if (start === '' || !parameters) return undefined
  const [host, port] = [onlyValue(parameters, 'host'), onlyValue(parameters, 'port')]
  const attributes = readAttributes(onlyValue(parameters, 'target_session_attrs'))
  const hosts = (host ?? authority).split(',')
  const ports = port?.split(',') ?? []
  if (hosts.length === 1 && ports.length <= 1) return { url: text, servers: [], attributes }
  const listed = host === undefined ? hosts.map(readHostAndPort) : hosts.map(name => serverOf(name, undefined))
  const servers = withPorts(listed, ports)
  if (attributes === 'any') throw new InvalidServers(WITHOUT_ATTRIBUTES)
  return {
    url: `${start}${PLACEHOLDER}${without(rest, ['host', 'port', 'target_session_attrs'])}`,
    servers,
    attributes,
  }
}

/** The address of a database, without the secrets of its URL. */
export function nameOf(text: string): string {
  const { url = text, servers = [] } = readServers(text) ?? {}
  const { host, pathname, searchParams } = new URL(url)
  const places = servers.length > 0 ? servers.map(placeOf).join(',') : host || searchParams.get('host') || 'localhost'
  return `${places}${pathname}`
}

export function placeOf({ host, port }: Server): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Everything before the hosts, with user and password; the hosts; and the path with everything after it. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is
/** A host that is never connected to. */
const PLACEHOLDER = 'localhost'

const WITHOUT_ATTRIBUTES =
  'lists several hosts, so it must also have target_session_attrs=read-write: only one of them is the primary.'

const BAD_LIST =
  'must list each host as host:port, with ports from 1 to 65535; characters such as , / ? @ in a password must be percent-encoded, as %2C %2F %3F %40.'

function onlyValue(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name)
  if (values.length > 1)
    throw new InvalidServers(`must have the parameter ${name} only once; separate several by commas.`)
  return values[0]
}

function readAttributes(value = 'any'): SessionAttributes {
  if (value === 'any' || value === 'read-write' || value === 'primary') return value
  throw new InvalidServers(
    'must have target_session_attrs=read-write, or primary: the service writes, so it cannot use a standby.',
  )
}

function readHostAndPort(text: string): Server {
  const [, address, name, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]]*))(?::(\d*))?$/i.exec(text) ?? []
  return serverOf(decode(address ?? name), port)
}

function serverOf(host: string | undefined, port: string | undefined): Server {
  const number = port ? Number(port) : DEFAULT_PORT
  if (!host || !(number >= 1 && number <= MAX_PORT && Number.isInteger(number))) throw new InvalidServers(BAD_LIST)
  return { host, port: number }
}

/** The ports of the parameter `port`: one for all hosts, or one for each host. They replace the ports of the hosts. */
function withPorts(servers: readonly Server[], ports: readonly string[]): Server[] {
  if (ports.length > 1 && ports.length !== servers.length) {
    throw new InvalidServers('must have one port for all hosts, or as many ports as hosts.')
  }
  if (ports.length === 0) return [...servers]
  return servers.map(({ host }, index) => serverOf(host, ports.length === 1 ? ports[0] : ports[index]))
}

function decode(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The path and query of a URL, without these parameters. Other parameters are unchanged. */
function without(rest: string, names: readonly string[]): string {
  const [path = '', query] = rest.split(/\?(.*)/s)
  const kept = (query ?? '').split('&').filter(part => !names.includes(part.split('=')[0] as string))
  return kept.join('') === '' ? path : `${path}?${kept.join('&')}`
}
