import { globSync, readFileSync } from 'node:fs'
import { ROOT } from './guide-texts.ts'

/** Everything that operators read about running the service: the index and a page for each job. */
export const HANDBOOK = ['docs/operations.md', ...globSync('docs/operations/*.md', { cwd: ROOT }).toSorted()]
  .map(page => readFileSync(ROOT + page, 'utf8'))
  .join('\n')

/** A command of the program in a document for operators. */
export interface CommandLine {
  line: string
  args: string[]
}

const FENCED = /^ *```(\w*)\n(.*?)^ *```$/gms
/** The languages of blocks with commands to type; other blocks are settings and output. */
const SHELLS = ['sh', 'console']
const COMMAND =
  /^(?:(?:(?:[A-Z_]+=\S*|sudo) +)*(?:\.\/)?petstore(?:-staging)?|(?:docker|kubectl) .*exec \S.* petstore|docker run .* petstore:[^/\s]\S*) +(.+)$/

/** The commands in the code blocks of a text: fenced ones, and those indented by four spaces. */
export function commandLinesOf(markdown: string): CommandLine[] {
  const fenced = [...markdown.matchAll(FENCED)].filter(([, language = '']) => SHELLS.includes(language))
  const indented = markdown.replaceAll(FENCED, '').match(/^ {4}.+$/gm) ?? []
  return [...fenced.flatMap(([, , block = '']) => block.split('\n')), ...indented].flatMap(commandsIn)
}

/** The commands in the sentences of a text; a command that is only mentioned may lack its arguments. */
export function mentionsOf(markdown: string): CommandLine[] {
  return [...markdown.replaceAll(FENCED, '').matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => commandsIn(code))
}

/** The commands of a line, which may have several for a shell. */
function commandsIn(line: string): CommandLine[] {
  return line.split(/ (?:&&|\|\|?|;) /).flatMap(part => {
    const args = COMMAND.exec(part.trim())?.[1]
    return args === undefined || args === '…' ? [] : [{ line: line.trim(), args: wordsOf(args) }]
  })
}

/** Without comments and redirections. */
function wordsOf(text: string): string[] {
  const words = text.replace(/ +#.*/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return [...words].flatMap(([word, ...quoted]) =>
    /^[<>]/.test(word) ? [] : [quoted.find(one => one !== undefined) ?? ''],
  )
}
