import { connect } from 'node:net'
import { COMMAND } from '../app/command-name.ts'
import { type Config, loadConfig } from '../app/config.ts'
import { SETTINGS } from '../app/settings.ts'
import { createSignInLink } from '../domain/administration/sign-in-links.ts'
import { conflict, invalid } from '../domain/errors.ts'
import { isWildcard, localHost } from '../domain/listening-host.ts'
import { parseRole, type Role } from '../domain/operator.ts'
import { MAX_SIGN_IN_LINK_SECONDS, MIN_SIGN_IN_LINK_SECONDS } from '../domain/sign-in-link.ts'
import { isoTime } from '../domain/time.ts'
import { lengthFromTo, parseListenerUrl } from './arguments.ts'
import type { Command } from './command.ts'
import { type JsonOption, print } from './output/print.ts'
import { formatSecond } from './output/text.ts'
import { formatSignInUrl } from './sign-in-url.ts'
import { sshTunnel } from './ssh-tunnel.ts'
import { withAdminContext } from './with-store.ts'

export function addConsoleCommand(program: Command): void {
  program
    .newCommand('console', "Print a link that signs you in once on the operators' listener.")
    .option('--role <role>', 'staff or admin', parseRole, 'admin')
    .option('--name <name>', 'the name in the audit log (default: your user name)')
    .option(
      '--valid-for <time>',
      'how long the link works, in seconds, or as 12h or 7d (default: 5 minutes)',
      lengthFromTo(MIN_SIGN_IN_LINK_SECONDS, MAX_SIGN_IN_LINK_SECONDS, 'from one minute to 7 days'),
    )
    .option('--url <url>', "address of the operators' listener, if it is behind a proxy", parseListenerUrl)
    .json('print the link as JSON', HELP)
    .action(async ({ role, name, url, validFor, json }: ConsoleOptions) => {
      const base = url ?? (await findListener(loadConfig()))
      const { token, secret, expiresAt } = await withAdminContext(context =>
        createSignInLink(context, { name: name ?? context.actor.name, role, validForSeconds: validFor }),
      )
      const link = formatSignInUrl(base, secret)
      const ssh = sshTunnel(link, process.env)
      const document = {
        url: link,
        ...(ssh !== undefined && { ssh }),
        expiresAt: isoTime(expiresAt),
        tokenId: token.id,
        name: token.name,
        role: token.role,
      }
      const words = `as "${token.name}" with the role ${token.role} (token ${token.id})`
      const onOtherMachine =
        ssh === undefined ? [] : ['First, on your own machine, run:', `  ${ssh}`, 'Then open there:']
      const end = validFor === undefined ? 'within 5 minutes' : `by ${formatSecond(expiresAt)}`
      print(json, document, ...onOtherMachine, link, '', `Open it ${end}. It signs one browser in, once, ${words}.`)
    })
}

interface ConsoleOptions extends JsonOption {
  role: Role
  name?: string
  url?: string
  validFor?: number
}

/** How long the listener may take to accept a connection. */
const TIMEOUT_MS = 2_000

/**
 * The address of the listener on this machine.
 * @throws UserError when nothing listens there, because the link would be useless
 */
async function findListener({ operatorHost, operatorPort, operatorHosts, tls }: Config): Promise<string> {
  const { operatorPort: setting } = SETTINGS
  if (operatorPort === 0) throw invalid(`${setting.name} is 0; pass the address of the operators' listener with --url.`)
  const address = isWildcard(operatorHost) ? '127.0.0.1' : operatorHost
  if (!(await isListening(address, operatorPort))) {
    const remedy = `start the service with ${COMMAND} serve, or pass the address with --url`
    throw conflict(`Nothing listens on port ${operatorPort} of ${address}; ${remedy}.`)
  }
  // The certificate is for a host name, not for an IP address.
  const named = tls.operators && operatorHosts.find(host => !host.startsWith('*'))
  const host = named ?? localHost(operatorHost)
  return `${tls.operators ? 'https' : 'http'}://${host}:${operatorPort}`
}

function isListening(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port, timeout: TIMEOUT_MS })
  socket.once('connect', () => resolve(true))
  socket.once('timeout', () => resolve(false))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

const HELP = `
Over ssh, it also prints the command that makes the link work on your machine.

The link works once, within five minutes. For a colleague, give their name and a
longer time, and send them the link. Its secret follows the #, a part that
browsers do not send, so no log contains it. The audit log shows what they do
under that name. If there is no operator token with that name and role, one is
created; revoke it to end all its sessions and links.

Examples:
  $ petstore console
  $ petstore console --role staff
  $ petstore console --name Anna
  $ petstore console --name Ben --role staff --valid-for 1d
  $ petstore console --url https://operators.example.com`
