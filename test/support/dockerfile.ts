import { readdirSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'

/** deploy/Dockerfile, as far as Docker's language is used in it. */
export interface Instruction {
  /** In capitals, such as `COPY`. */
  word: string
  /** What follows, on one line. */
  text: string
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Each stage of the image, the last of which is the image itself. */
export function imageStages(): Instruction[][] {
  const lines = readFileSync(`${ROOT}deploy/Dockerfile`, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line.trim() !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, word = '', text = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (word === '') throw new Error(`no instruction: ${line}`)
    if (word === 'FROM') stages.push([])
    stages.at(-1)?.push({ word, text })
  }
  return stages
}

/** What the image sets for the program that it runs. */
export function imageEnvironment(): Record<string, string> {
  const set =
    imageStages()
      .at(-1)
      ?.filter(({ word }) => word === 'ENV') ?? []
  return Object.fromEntries(
    set.flatMap(({ text }) => text.split(' ').map(pair => pair.split('=', 2) as [string, string])),
  )
}

/** What follows such an instruction of the image. */
export function imageText(word: string): string {
  const instructions = imageStages().at(-1) ?? []
  return instructions.find(instruction => instruction.word === word)?.text ?? ''
}

/** What reaches Docker of the repository, by the rules of the .dockerignore file: the last one that matches a path, or a folder above it, decides. */
export function contextFiles(): string[] {
  const rules = readFileSync(`${ROOT}deploy/Dockerfile.dockerignore`, 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => ({ pattern: line.replace(/^!/, ''), isKept: line.startsWith('!') }))
  const matches = (file: string, pattern: string) => {
    // Unlike Docker's, Node's patterns leave out what begins with a dot.
    const parts = file.split('/').map(part => part.replace(/^\./, ''))
    return parts.some((_, index) => matchesGlob(parts.slice(0, index + 1).join('/'), pattern))
  }
  const isKept = (file: string) => rules.findLast(({ pattern }) => matches(file, pattern))?.isKept ?? true
  return filesUnder('').filter(isKept)
}

/** Without what is neither in the repository nor could reach the image. */
function filesUnder(path: string): string[] {
  return readdirSync(ROOT + path, { withFileTypes: true }).flatMap(entry => {
    const own = path + entry.name
    if (entry.isDirectory()) return ['node_modules', '.git'].includes(entry.name) ? [] : filesUnder(`${own}/`)
    return [own]
  })
}
