import { inspect } from 'node:util'
import { ConfigError } from '../config.ts'
import { Mistake, StoreUnavailable } from '../domain/errors.ts'

/** What a person reads of an error: one line for whatever they can mend, the whole of it for what is a fault of the program. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message.split('\n').map(formatLine).join('')
  if (error instanceof Mistake) return formatLine(error.message)
  if (error instanceof StoreUnavailable) return formatLine(withCause(error))
  const message = explainListening(error)
  return message === undefined ? `${inspect(error)}\n` : formatLine(message)
}

function formatLine(message: string): string {
  return `error: ${message.replaceAll('\n', ' ')}\n`
}

function withCause({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

/** Why the service cannot listen where it is told to. */
function explainListening(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall, address, port, hostname } = error as SystemError
  if (syscall === 'getaddrinfo') return `The host name ${hostname} is not known; set PETSTORE_HOST to another.`
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is taken; set PETSTORE_PORT to a free one.`
  if (code === 'EACCES') return `Port ${port} on ${address} is not allowed to this user; set PETSTORE_PORT to another.`
  return `Cannot listen on ${address} (${code}); set PETSTORE_HOST to an address of this machine.`
}

interface SystemError extends Error {
  code?: string
  syscall?: string
  address?: string
  port?: number
  hostname?: string
}
