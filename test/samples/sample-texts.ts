import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { readCode, type Sample } from './read-samples.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const GUIDES = globSync('docs/guides/*.md', { cwd: ROOT })
const READMES = globSync('**/README.md', { cwd: ROOT, exclude: ['**/node_modules'] })

/** The code of every text that has samples. */
export const CODE = await Promise.all(
  [...READMES, ...GUIDES].toSorted().map(async file => readCode(file, await readFile(ROOT + file, 'utf8'))),
)

const SAMPLES: readonly Sample[] = CODE.flatMap(({ samples }) => samples)

/** Each of them as it can be run by itself. */
export const WHOLE_SAMPLES: readonly Sample[] = SAMPLES.map(sample => ({ ...sample, code: wholeCodeOf(sample) }))

/** The client's own README makes a client once, in its first sample; those that follow go on with it. */
function wholeCodeOf({ language, file, code }: Sample): string {
  if (language !== 'ts' || file !== 'client/README.md' || code.includes('new PetstoreClient')) return code
  const first = SAMPLES.find(other => other.language === 'ts' && other.file === file)
  const [opening = ''] = /^.*new PetstoreClient\(.*?\)\n/s.exec(first?.code ?? '') ?? []
  return opening + code
}
