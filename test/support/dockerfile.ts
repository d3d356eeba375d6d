import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Parses the Dockerfile, limited to the instructions that it uses. */
export interface Instruction {
  /** In capitals, such as `COPY`. */
  word: string
  /** The arguments, on one line. */
  text: string
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Each stage of the image, the last of which is the image itself.
 * @param file the Dockerfile, relative to the repository
 */
export function imageStages(file = 'Dockerfile'): Instruction[][] {
  const lines = readFileSync(ROOT + file, 'utf8')
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

/** The environment that the image sets for its program. */
export function imageEnvironment(): Record<string, string> {
  const set =
    imageStages()
      .at(-1)
      ?.filter(({ word }) => word === 'ENV') ?? []
  return Object.fromEntries(
    set.flatMap(({ text }) => text.split(' ').map(pair => pair.split('=', 2) as [string, string])),
  )
}

/** The arguments of this instruction in the image. */
export function imageText(word: string): string {
  const instructions = imageStages().at(-1) ?? []
  return instructions.find(instruction => instruction.word === word)?.text ?? ''
}
