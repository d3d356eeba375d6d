import { isLoopback } from '../domain/listening-host.ts'

/**
 * The command that makes an address of this machine work on the user's own machine; undefined without an ssh connection, or if the address is
 * not one that only this machine can reach.
 */
export function sshTunnel(url: string, { SSH_CONNECTION, SUDO_USER, LOGNAME }: NodeJS.ProcessEnv): string | undefined {
  // Their address and port, and those of the ssh server here.
  const [, , host, sshPort] = SSH_CONNECTION?.split(' ') ?? []
  const { hostname, port } = new URL(url)
  if (!host || !port || !isLoopback(hostname)) return undefined
  const user = SUDO_USER ?? LOGNAME
  return [
    `ssh -L ${port}:${hostname}:${port}`,
    ...(sshPort === '22' ? [] : [`-p ${sshPort}`]),
    user === undefined ? host : `${user}@${host}`,
  ].join(' ')
}
