import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from './needs.ts'
import { answers, dropSchema, noPostgres, type PostgresServer, query } from './postgres.ts'
import { type PrivateServer, startPrivateServer } from './private-server.ts'

const PROGRAM = findProgram('pgbouncer')

/** Why PgBouncer cannot run here; undefined if it can. */
export const noPgBouncer = noPostgres ?? (PROGRAM ? undefined : 'PgBouncer is not installed')

export interface PgBouncer extends PrivateServer {
  /** Creates an empty schema. Returns a URL through the pooler, whose connections only use that schema. */
  makeDatabase(): Promise<{ url: string; drop(): Promise<void> }>
}

/** PgBouncer must know each user before it starts. Each schema has its own user, because the pooler accepts no options in a URL. */
const USERS = 1_000
let usersGiven = 0

/** Starts PgBouncer in front of a private server of the test. Each transaction of a client gets another connection, if there are several. */
export async function startPgBouncer(server: PostgresServer): Promise<PgBouncer> {
  if (!PROGRAM) throw new Error('PgBouncer is not installed.')
  const pooler = await startPrivateServer({
    name: 'pgbouncer',
    command(folder, port) {
      const file = join(folder, 'pgbouncer.ini')
      const users = join(folder, 'users.txt')
      const names = ['postgres', ...Array.from({ length: USERS }, (_, index) => `pooled_${index + 1}`)]
      writeFileSync(users, names.map(name => `"${name}" ""\n`).join(''))
      const lines = [
        '[databases]',
        `* = host=127.0.0.1 port=${server.port}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = trust',
        `auth_file = ${users}`,
        'pool_mode = transaction',
        'server_round_robin = 1',
        'max_client_conn = 500',
        'default_pool_size = 100',
        // Each user has its own connections.
        'server_idle_timeout = 1',
      ]
      writeFileSync(file, `${lines.join('\n')}\n`)
      return [PROGRAM, file]
    },
    isReady: port => answers(`postgres://postgres@127.0.0.1:${port}/postgres`),
  })
  return Object.assign(pooler, {
    async makeDatabase() {
      usersGiven += 1
      const name = `pooled_${usersGiven}`
      await query(
        server.url,
        `CREATE ROLE ${name} LOGIN; CREATE SCHEMA ${name} AUTHORIZATION ${name}; ALTER ROLE ${name} SET search_path = ${name}`,
      )
      return {
        url: `postgres://${name}@127.0.0.1:${pooler.port}/postgres`,
        drop: () => dropSchema(server.url, name),
      }
    },
  })
}
