import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { readCode, type Sample } from './read-samples.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const GUIDES = globSync('docs/guides/*.md', { cwd: ROOT })
const READMES = globSync('**/README.md', { cwd: ROOT, exclude: ['**/node_modules'] })

/** The section of a client's own README that creates a client, by file. */
const MAKING_A_CLIENT: Readonly<Record<string, RegExp>> = {
  'client/README.md': /^.*new PetstoreClient\(.*?\)\n/s,
  'clients/python/README.md': /^.* = Petstore\(.*?\n\)\n/s,
}

/** The code of every text that has samples. */
export const CODE = await Promise.all(
  [...READMES, ...GUIDES].toSorted().map(async file => readCode(file, await readFile(ROOT + file, 'utf8'))),
)

const SAMPLES: readonly Sample[] = CODE.flatMap(({ samples }) => samples)

/** Each sample, in a form that can be run on its own. */
export const WHOLE_SAMPLES: readonly Sample[] = SAMPLES.map(sample => ({ ...sample, code: wholeCodeOf(sample) }))

/** The README creates the client once, in its first sample; the following ones use it. */
function wholeCodeOf({ file, code }: Sample): string {
  const making = MAKING_A_CLIENT[file]
  if (!making || making.test(code)) return code
  const first = SAMPLES.find(other => other.file === file)
  return (making.exec(first?.code ?? '')?.[0] ?? '') + code
}
