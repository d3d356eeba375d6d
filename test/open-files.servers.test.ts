import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { PROGRAM } from './support/command-line.ts'
import { temporaryFolder } from './support/folder.ts'
import { needs } from './support/servers/needs.ts'

test('a crowd that opens more connections than the process may have files does not make health checks fail', async t => {
  if (!needs(t, 'prlimit')) return
  const env = { PETSTORE_DATA: await temporaryFolder(t), PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0' }
  const command = ['--nofile=160', process.execPath, PROGRAM, 'serve']
  const child = spawn('prlimit', command, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  let urls: { url: string; operatorUrl: string } | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    urls = JSON.parse(line)
    if (urls?.operatorUrl) break
  }
  assert.ok(urls)
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let count = 0; count < 300; count++) {
    const socket = connect(Number(new URL(urls.url).port), '127.0.0.1').on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
  }
  for (const path of ['/livez', '/readyz']) {
    assert.equal((await fetch(urls.operatorUrl + path)).status, 200, path)
  }
})
