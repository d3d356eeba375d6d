import { inspect } from 'node:util'
import { ConfigError, parseConfig, SETTINGS } from '../config.ts'
import { Mistake, Refusal, StoreUnavailable } from '../domain/errors.ts'
import { withoutSecrets } from '../domain/outside-text.ts'
import { plain } from './text.ts'

/** What a person reads of an error: one line for whatever they can mend, the whole of it for what is a fault of the program. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message.split('\n').map(formatError).join('')
  if (error instanceof Mistake || error instanceof Refusal) return formatError(error.message)
  if (error instanceof StoreUnavailable) return formatError(withCause(error))
  // Several parts of the service could not be closed in order, often all for the same reason.
  if (error instanceof SuppressedError) {
    return [
      ...new Set([explain(error.suppressed), explain(error.error)].flatMap(text => text.match(/.+\n/g) ?? [])),
    ].join('')
  }
  const message = explainListening(error)
  return message === undefined ? `${plain(withoutSecrets(inspect(error)))}\n` : formatError(message)
}

/** One line for standard error, which harms no terminal and gives no secret away, whatever was typed or read. */
export function formatError(message: string): string {
  return `error: ${plain(withoutSecrets(message.replaceAll('\n', ' ')))}\n`
}

function withCause({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

/** Why the service cannot listen where it is told to. */
function explainListening(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall, address, port, hostname } = error as SystemError
  if (syscall !== 'getaddrinfo' && syscall !== 'listen') return undefined
  // Which of the two listeners it is about, the error does not say: the settings do.
  const { operatorHost, operatorPort } = parseConfig(process.env)
  const hostSetting = (operatorHost === (hostname ?? address) ? SETTINGS.operatorHost : SETTINGS.host).name
  const portSetting = (operatorPort === port ? SETTINGS.operatorPort : SETTINGS.port).name
  if (syscall === 'getaddrinfo') return `The host name ${hostname} is not known; set ${hostSetting} to another.`
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is taken; set ${portSetting} to a free one.`
  if (code === 'EACCES') return `Port ${port} on ${address} is not allowed to this user; set ${portSetting} to another.`
  return `Cannot listen on ${address} (${code}); set ${hostSetting} to an address of this machine.`
}

interface SystemError extends Error {
  code?: string
  syscall?: string
  address?: string
  port?: number
  hostname?: string
}
