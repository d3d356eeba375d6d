// Keeps a copy of all animals of a Petstore, and serves a page from it. The page works while the service does not: it shows the last complete copy,
// which a file keeps over a restart. The key is read from its file each time, so it can be exchanged while the program runs.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { PetstoreClient } from '@petstore/client'

const {
  PETSTORE_URL,
  PETSTORE_KEY_FILE,
  COPY_FILE = 'animals.json',
  PORT = '3000',
  REFRESH_SECONDS = '900',
} = process.env
if (!PETSTORE_URL || !PETSTORE_KEY_FILE) {
  console.error('Set PETSTORE_URL, such as https://pets.example.com/v1, and PETSTORE_KEY_FILE, a file with your key.')
  process.exit(2)
}
const REFRESH_MS = Number(REFRESH_SECONDS) * 1_000
/** After an error. */
const MAX_RETRY_MS = 60_000

/** Replaced as a whole: the page never shows half of a new copy. */
let copy = await readCopy()

const server = createServer((_request, response) => {
  response.writeHead(copy ? 200 : 503, { 'Content-Type': 'text/html; charset=utf-8' })
  response.end(copy ? formatPage(copy) : 'There is no copy of the animals yet.')
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
await keepCopying()

async function keepCopying() {
  for (;;) {
    let waitMs = REFRESH_MS
    try {
      copy = await readAnimals()
      await writeCopy(copy)
      console.log(`${copy.animals.length} animals`)
    } catch (error) {
      // The client has already retried what a retry can solve. The error says when calls are possible again, if the service has said so.
      // Another key may be in the file before that; with the same key, the client sends nothing until then.
      waitMs = Math.min(REFRESH_MS, error.retryAt ? error.retryAt - Date.now() : MAX_RETRY_MS)
      console.error(`${error.code ?? error.name}: ${error.message}`)
    }
    await sleep(Math.max(waitMs, 1_000))
  }
}

async function readAnimals() {
  const apiKey = (await readFile(PETSTORE_KEY_FILE, 'utf8')).trim()
  // Paced, so that calls are left for other work with the same key.
  const client = new PetstoreClient({ baseUrl: PETSTORE_URL, apiKey, isPaced: true })
  const at = new Date().toISOString()
  const animals = []
  for await (const { id, name, categoryId, status } of client.pets.list({ limit: 100 })) {
    // As texts, because JSON.parse rounds large numbers.
    animals.push({ id: String(id), name, categoryId: String(categoryId), status })
  }
  return { at, animals }
}

async function readCopy() {
  try {
    return JSON.parse(await readFile(COPY_FILE, 'utf8'))
  } catch (error) {
    if (error.code !== 'ENOENT') console.error(`${COPY_FILE} is not used: ${error.message}`)
    return undefined
  }
}

/** In one step, so that a crash leaves the earlier file. */
async function writeCopy(text) {
  await writeFile(`${COPY_FILE}.new`, JSON.stringify(text), { flush: true })
  await rename(`${COPY_FILE}.new`, COPY_FILE)
}

function formatPage({ at, animals }) {
  const rows = animals.map(({ id, name, status }) => `<tr><td>${id}<td>${escapeHtml(name)}<td>${status}`)
  return `<!doctype html>
<html lang="en">
<title>Animals</title>
<h1>${animals.length} animals</h1>
<p>As of <time datetime="${at}">${at}</time></p>
<table>
<tr><th>Id<th>Name<th>Status
${rows.join('\n')}
</table>
`
}

/** Names come from others: they may contain anything. */
function escapeHtml(text) {
  return text.replace(/[&<>]/g, character => `&#${character.charCodeAt(0)};`)
}
