import { CLIENTS_PATH, rootFrom } from '../../src/pages/paths.ts'
import { placeholder } from '../../src/pages/placeholders.ts'
import { type Frame, renderFrame } from '../frame.ts'
import { renderSample, type Sample } from '../markdown/samples.ts'
import type { Place } from '../search-index.ts'
import type { ClientPackage, ClientPackages } from './client-packages.ts'

const SUMMARY =
  'Our clients for TypeScript and Python wait and retry for you, read all pages, and never add an animal twice.'

/** What a reader searches for. */
export const CLIENTS_PLACE: Place = {
  href: CLIENTS_PATH.slice(1),
  page: 'Clients',
  heading: '',
  text: SUMMARY,
  words: 'SDK library package npm pip wheel install download TypeScript JavaScript Python',
}

/**
 * The lines that install the clients from a service. pip checks the sum.
 * @param root of the service, with a slash at its end; `shellRoot` is the same as a word of a shell command
 */
export function installLines({ typescript, python }: ClientPackages, root: string, shellRoot = root) {
  const folder = CLIENTS_PATH.slice(1)
  return {
    typescript: `npm install ${shellRoot}${folder}${typescript.name}`,
    python: `pip install '${root}${folder}${python.name}#sha256=${python.sha256}'`,
  }
}

interface Described {
  language: string
  needs: string
  /** By caption. */
  uses: Record<string, Sample>
}

const TYPESCRIPT: Described = {
  language: 'TypeScript and JavaScript',
  needs: 'Runs on Node 20 or newer, Bun, Deno and in browsers, and has no dependencies.',
  uses: {
    'List all animals': {
      lang: 'ts',
      text: `import { PetstoreClient } from '@petstore/client'

const { PETSTORE_URL: baseUrl = '', PETSTORE_API_KEY: apiKey = '' } = process.env
const client = new PetstoreClient({ baseUrl, apiKey })
for await (const pet of client.pets.list()) console.log(pet.id, pet.name)`,
    },
  },
}

const PYTHON: Described = {
  language: 'Python',
  needs: 'Runs on Python 3.10 or newer, and has no dependencies. pip checks the SHA-256.',
  uses: {
    'List all animals': {
      lang: 'python',
      text: `import os
from petstore_client import Petstore
client = Petstore(base_url=os.environ['PETSTORE_URL'], api_key=os.environ['PETSTORE_API_KEY'])
for pet in client.pets.list():
    print(pet.id, pet.name)`,
    },
    'The same with asyncio': {
      lang: 'python',
      text: `import asyncio, os
from petstore_client import AsyncPetstore
async def main():
    async with AsyncPetstore(base_url=os.environ['PETSTORE_URL'], api_key=os.environ['PETSTORE_API_KEY']) as client:
        async for pet in client.pets.list():
            print(pet.id, pet.name)
asyncio.run(main())`,
    },
  },
}

/** Renders the page with what partners copy to install and use each client. @param setUp sets the variables of samples, for the shell */
export function renderClientsPage(packages: ClientPackages, setUp: string, frame: Frame): string {
  const lines = installLines(packages, placeholder('service'), placeholder('shell-service'))
  const root = rootFrom(CLIENTS_PATH)
  return renderFrame(frame, {
    root,
    title: 'Clients',
    description: SUMMARY,
    current: CLIENTS_PATH.slice(1),
    footer: [['llms.txt', 'llms.txt']],
    content: `<main class="list" id="content" tabindex="-1">
<h1>Clients</h1>
<p class="summary">${SUMMARY}</p>
<p>Install them from this service. They are in no public registry: a package of the same name there is not ours.</p>
<p>The samples read the base address and your API key from two environment variables, as in the <a href="${root}docs/guides/quick-start">quick start</a>:</p>
${renderSample({ lang: 'console', text: setUp })}
${renderClient(TYPESCRIPT, packages.typescript, lines.typescript)}
${renderClient(PYTHON, packages.python, lines.python)}
</main>`,
  })
}

function renderClient({ language, needs, uses }: Described, { name, sha256 }: ClientPackage, install: string): string {
  const samples = Object.entries(uses).map(([caption, use]) => renderSample(use, caption))
  return `<h2>${language}</h2>
<p>${needs}</p>
${renderSample({ lang: 'console', text: install }, 'Install')}${samples.join('')}<p>The file is <a href="${name}">${name}</a>.</p>
${renderSample({ lang: 'text', text: sha256 }, 'SHA-256')}`
}
