import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, writeFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort, type Program, startProgram } from './program.ts'
import type { RecordedAnswers } from './record.ts'
import { insertAnimals } from './stock.ts'

/** The same job on other frameworks. Each uses the logger that its users choose, or none. */
export const PEERS = [
  { framework: 'Express 5', runtime: 'Node', program: 'express.ts', log: 'morgan' },
  { framework: 'Fastify 5', runtime: 'Node', program: 'fastify.ts', log: 'pino' },
  { framework: 'Hono', runtime: 'Bun', program: 'hono.ts', log: 'hono/logger' },
  { framework: 'Elysia', runtime: 'Bun', program: 'elysia.ts', log: 'logixlysia' },
] as const

export type Peer = (typeof PEERS)[number]

/** Animals and a key for the peers. */
export interface PeerStock {
  folder: string
  databaseFile: string
  key: string
}

export function createPeerStock(folder: string, animals: number): PeerStock {
  const databaseFile = join(folder, 'peers.sqlite')
  const key = randomBytes(24).toString('base64url')
  using database = new DatabaseSync(databaseFile)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE api_key (hash BLOB PRIMARY KEY, account TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE pet (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL
    );
    CREATE INDEX pet_by_status ON pet (status, id)`)
  database.prepare('INSERT INTO api_key VALUES (?, ?)').run(createHash('sha256').update(key).digest(), 'bench')
  insertAnimals(database, animals)
  return { folder, databaseFile, key }
}

/** Starts a peer with a copy of the animals. */
export async function startPeer(
  { program, runtime }: Peer,
  { folder, databaseFile, key }: PeerStock,
  { isLogging, under }: { isLogging: boolean; under?: readonly string[] | undefined },
): Promise<Program> {
  const port = await freePort()
  const copy = join(folder, `${port}.sqlite`)
  copyFileSync(databaseFile, copy)
  const env = { PORT: String(port), DATABASE: copy, LOG: isLogging ? 'on' : 'off', NODE_ENV: 'production' }
  const command = [runtime === 'Bun' ? bun() : process.execPath, peerFile(program)]
  return startProgram({ command, env, folder, key, under }, port)
}

/** Starts `Bun.serve` with the recorded answers. */
export async function startBunFloor(folder: string, answersFile: string): Promise<Program> {
  const port = await freePort()
  return startProgram(
    { command: [bun(), peerFile('replay-on-bun.ts'), answersFile, String(port)], env: {}, folder },
    port,
  )
}

/** Starts nginx with the recorded answers. */
export async function startNginx(folder: string, { list, get, create }: RecordedAnswers): Promise<Program> {
  const port = await freePort()
  const answer = ({ status, headers, body }: RecordedAnswers['list']) => {
    const { 'Content-Type': type = '', 'Content-Length': _length, ...others } = headers
    const lines = Object.entries(others).map(([name, value]) => `add_header ${name} ${quote(value)} always;`)
    return [`default_type ${quote(type)};`, ...lines, `return ${status} ${quote(body)};`].join('\n')
  }
  const configuration = `worker_processes 1; daemon off; master_process off;
    pid ${folder}/nginx.pid; error_log ${folder}/nginx-error.log;
    events { worker_connections 1024; }
    http {
      access_log off; keepalive_requests 1000000000; client_body_temp_path ${folder}/nginx-bodies;
      server {
        listen 127.0.0.1:${port};
        location = /v1/pets { if ($request_method = POST) { rewrite ^ /create last; } ${answer(list)} }
        location = /create { internal; ${answer(create)} }
        location /v1/pets/ { ${answer(get)} }
      }
    }`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration)
  return startProgram({ command: ['nginx', '-p', folder, '-c', file], env: {}, folder }, port)
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** The install script of the package `bun` links to the program, which is in a separate package for each platform. */
function bun(): string {
  const processor = arch() === 'arm64' ? 'aarch64' : arch()
  return peerFile(`node_modules/@oven/bun-${platform()}-${processor}/bin/bun`)
}

function peerFile(name: string): string {
  return join(import.meta.dirname, 'peers', name)
}
