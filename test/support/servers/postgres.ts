import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { Client, DatabaseError } from 'pg'
import { findServerProgram, makeServerFolder, type PrivateServer, startPrivateServer } from './private-server.ts'

export interface PostgresServer extends PrivateServer {
  /** Of its database `postgres`. */
  url: string
}

/** Why PostgreSQL cannot run here; undefined if it can. */
export const noPostgres =
  process.env.PETSTORE_TEST_POSTGRES_URL || (findServerProgram('initdb') && findServerProgram('postgres'))
    ? undefined
    : 'PostgreSQL is not installed, and PETSTORE_TEST_POSTGRES_URL is not set'

/**
 * A private PostgreSQL server of the test.
 * @param settings such as `max_connections=5`
 * @param primary makes it a standby of this server, starting from a copy of it; or it starts with the data that `restore` puts there
 * @param programs other ones than those of this machine
 */
export async function startPostgres(
  settings: readonly string[] = [],
  primary?: PostgresServer | { restore(cluster: string, run: Run): void },
  programs?: Programs,
): Promise<PostgresServer> {
  let programOf = program
  const server = await startPrivateServer({
    name: 'postgres',
    prepare(folder, run) {
      const template = process.env[TEMPLATE]
      if (programs) {
        programOf = programs(folder)
        makeCluster(folder, run, programOf)
      } else if (primary && 'restore' in primary) primary.restore(`${folder}/cluster`, run)
      else if (primary) copyCluster(primary, folder, run)
      else if (template) run('cp', '-a', `${template}/cluster`, folder)
      else makeCluster(folder, run)
    },
    command(folder, port) {
      // Data must survive a crash of the server, but not of the machine.
      const all = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off']
      all.push('max_connections=400', 'shared_buffers=64MB', ...settings)
      return [programOf('postgres'), '-D', `${folder}/cluster`, ...all.flatMap(setting => ['-c', setting])]
    },
    isReady: port => answers(urlOf(port)),
  })
  return Object.assign(server, { url: urlOf(server.port) })
}

/** Names a folder with an unused cluster: copying it takes a tenth of the time of creating one. */
const TEMPLATE = 'PETSTORE_TEST_POSTGRES_TEMPLATE'

/** Creates the template cluster for all servers of this process and its children, if possible. */
export function makePostgresTemplate(): { remove(): void } | undefined {
  if (!findServerProgram('initdb')) return undefined
  const folder = makeServerFolder('postgres', makeCluster)
  process.env[TEMPLATE] = folder
  return { remove: () => rmSync(folder, { recursive: true, force: true }) }
}

type Run = (program: string, ...args: string[]) => void

/** Puts programs into the folder of a server, and returns the path of each. */
export type Programs = (folder: string) => (name: string) => string

function copyCluster({ port }: PostgresServer, folder: string, run: Run): void {
  const from = ['--host=127.0.0.1', `--port=${port}`, '--username=postgres']
  const how = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync']
  run(program('pg_basebackup'), ...from, ...how, `--pgdata=${folder}/cluster`)
}

function makeCluster(folder: string, run: Run, programOf = program): void {
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  run(programOf('initdb'), `--pgdata=${folder}/cluster`, ...options)
}

/** The path of a program of PostgreSQL. */
export function program(name: string): string {
  const found = findServerProgram(name)
  if (!found) throw new Error(`PostgreSQL's ${name} is not installed.`)
  return found
}

/** A private schema of the test, with a URL whose connections only use that schema. */
export interface TestDatabase {
  url: string
  /** Runs SQL in it, without parameters. */
  run(sql: string): Promise<Record<string, unknown>[]>
  drop(): Promise<void>
}

/** Creates an empty schema on the server that tests share. */
export async function makeDatabase(serverUrl?: string): Promise<TestDatabase> {
  const server = serverUrl ?? (await sharedServerUrl())
  const schema = `test_${randomBytes(8).toString('hex')}`
  const url = `${server}${server.includes('?') ? '&' : '?'}options=-csearch_path%3D${schema}`
  await query(server, `CREATE SCHEMA ${schema}`)
  return {
    url,
    run: sql => query(url, sql),
    drop: () => dropSchema(server, schema),
  }
}

/** Drops a schema with all it holds. */
export async function dropSchema(serverUrl: string, schema: string): Promise<void> {
  try {
    await query(serverUrl, `DROP SCHEMA ${schema} CASCADE`)
  } catch (error) {
    // A statement whose connection was cut off may still run on the server, and lock tables in another order. It ends.
    if (!(error instanceof DatabaseError && error.code === '40P01')) throw error
    await dropSchema(serverUrl, schema)
  }
}

/** A private database of the test. */
export interface WholeDatabase {
  /** Its owner's, who is not a superuser. */
  url: string
  /** Runs SQL in it as a superuser, without parameters. */
  run(sql: string): Promise<Record<string, unknown>[]>
  drop(): Promise<void>
}

/**
 * Creates an empty database on the server that tests share.
 * @param options of CREATE DATABASE
 */
export async function makeWholeDatabase(options = ''): Promise<WholeDatabase> {
  const server = await sharedServerUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await query(server, `CREATE ROLE ${name} LOGIN`)
  await query(server, `CREATE DATABASE ${name} OWNER ${name} ${options}`)
  const database = Object.assign(new URL(server), { pathname: `/${name}` }).href
  return {
    url: Object.assign(new URL(database), { username: name }).href,
    run: sql => query(database, sql),
    async drop() {
      await query(server, `DROP DATABASE ${name} WITH (FORCE)`)
      await query(server, `DROP ROLE ${name}`)
    },
  }
}

let shared: Promise<PostgresServer> | undefined

/** The server that tests share: the one at PETSTORE_TEST_POSTGRES_URL, or one of this process. */
export async function sharedServerUrl(): Promise<string> {
  const named = process.env.PETSTORE_TEST_POSTGRES_URL
  if (named) return named
  shared ??= startPostgres()
  return (await shared).url
}

/** Runs SQL on one server, without parameters. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  // The query reports the error, too.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

/** Whether a server, or a pooler in front of it, responds. */
export async function answers(url: string): Promise<boolean> {
  try {
    await query(url, 'SELECT 1')
    return true
  } catch {
    return false
  }
}
