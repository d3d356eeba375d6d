import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import type { Config } from '../../src/app/config.ts'
import { type Issued, makeAuthority } from './certificates.ts'

/** Whether the whole test run uses HTTPS: `PETSTORE_TEST_TLS=on`. */
export const IS_TLS = process.env.PETSTORE_TEST_TLS === 'on'
const RAW = Symbol('raw socket')

/** Opens a connection to a service of this run, encrypted if the run is. It stays half-open when the service ends its side. */
export async function openSocket(port: number): Promise<Socket> {
  const raw = connectTcp({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  await opened(raw, 'connect')
  if (!IS_TLS) return raw
  const socket = connectTls({ socket: raw, rejectUnauthorized: false })
  await opened(socket, 'secureConnect')
  return Object.assign(socket, { [RAW]: raw })
}

/** Resets a connection (RST) instead of ending it (FIN). */
export function resetSocket(socket: Socket): void {
  const { [RAW]: raw = socket } = socket as { [RAW]?: Socket }
  raw.resetAndDestroy()
}

function opened(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject).once(event, () => {
      socket.off('error', reject)
      resolve()
    })
  })
}

/** The certificates of the services of this run, on both listeners; none if it is not encrypted. */
export function tlsOfRun(): Config['tls'] {
  if (!IS_TLS) return {}
  files ??= makeFiles()
  return { public: files, operators: files }
}

type Files = NonNullable<Config['tls']['public']>
let files: Files | undefined

function makeFiles(): Files {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return writeKeyPair(folder, makeAuthority().issue())
}

/** Writes a certificate and its key to files, and returns the settings for them. */
export function writeKeyPair(folder: string, { cert, key }: Issued): Files {
  const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(paths.cert, cert)
  writeFileSync(paths.key, key, { mode: 0o600 })
  return {
    cert: { path: paths.cert, setting: 'PETSTORE_TLS_CERT' },
    key: { path: paths.key, setting: 'PETSTORE_TLS_KEY' },
  }
}
