import { inspect } from 'node:util'
import { loadConfig } from '../../app/config.ts'
import { ConfigError } from '../../app/setting-values.ts'
import { SETTINGS } from '../../app/settings.ts'
import { StoreFull, StoreUnavailable, UserError } from '../../domain/errors.ts'
import { reasonOf, systemReason } from '../../domain/system-error.ts'
import { withoutSecrets } from '../../domain/untrusted-text.ts'
import { InvalidInput } from '../../schema/invalid-input.ts'
import { Interrupted } from '../confirm.ts'
import { formatError, plain } from './text.ts'

/** Formats an error for a person: one line if they can fix the cause, the full error if it is a bug. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message.split('\n').map(formatError).join('')
  if (error instanceof UserError || error instanceof InvalidInput) return formatError(error.message)
  if (error instanceof Interrupted) return `${error.message}\n`
  if (error instanceof StoreFull) return formatError(error.message)
  if (error instanceof StoreUnavailable) return formatError(withCause(error))
  // Several parts of the service failed to close, often for the same reason.
  if (error instanceof SuppressedError) {
    return [
      ...new Set([explain(error.suppressed), explain(error.error)].flatMap(text => text.match(/.+\n/g) ?? [])),
    ].join('')
  }
  const message = explainListening(error) ?? explainPath(error)
  return message === undefined ? `${plain(withoutSecrets(inspect(error)))}\n` : formatError(message)
}

function withCause({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${reasonOf(cause)})` : message
}

/** Why the service cannot listen on the address that the settings name. */
function explainListening(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall, address, port, hostname } = error as NodeJS.ErrnoException & {
    address?: string
    port?: number
    hostname?: string
  }
  if (syscall !== 'getaddrinfo' && syscall !== 'listen') return undefined
  // The error does not say which of the two listeners failed; the settings do.
  const { operatorHost, operatorPort, redirectPort } = loadConfig()
  const hostSetting = (operatorHost === (hostname ?? address) ? SETTINGS.operatorHost : SETTINGS.host).name
  const portSetting = portSettingOf(port, operatorPort, redirectPort)
  if (syscall === 'getaddrinfo') return `Host name ${hostname} cannot be resolved; set ${hostSetting} to another one.`
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is already in use; set ${portSetting} to a free one.`
  if (code === 'EACCES') {
    return `This user may not listen on port ${port} of ${address}; set ${portSetting} to another one, or give the service the capability CAP_NET_BIND_SERVICE.`
  }
  return `Cannot listen on ${address} (${systemReason(error)}); set ${hostSetting} to an address of this machine.`
}

/** Why an operation on a file failed, where no other code handles the error. */
function explainPath(error: unknown): string | undefined {
  const reason = systemReason(error)
  const { path } = error as NodeJS.ErrnoException
  return reason === undefined || path === undefined ? undefined : `${path}: ${reason}.`
}

function portSettingOf(port: number | undefined, operatorPort: number, redirectPort: number | undefined): string {
  if (port === operatorPort) return SETTINGS.operatorPort.name
  return (port === redirectPort ? SETTINGS.redirectPort : SETTINGS.port).name
}
