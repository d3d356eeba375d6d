/** A command of the program, as a text for operators has it. */
export interface CommandLine {
  line: string
  args: string[]
}

const FENCED = /^ *```(\w*)\n(.*?)^ *```$/gms
/** In these a person types; others are settings and what is printed. */
const SHELLS = ['sh', 'console']
const COMMAND =
  /^(?:(?:(?:[A-Z_]+=\S*|sudo) +)*(?:\.\/)?petstore(?:-staging)?|(?:docker|kubectl) .*node bin\/petstore\.ts|docker run .* petstore:\S+) +(.+)$/

/** The commands in the blocks of a text: fenced ones, and those that are set in by four spaces. */
export function commandLinesOf(markdown: string): CommandLine[] {
  const fenced = [...markdown.matchAll(FENCED)].filter(([, language = '']) => SHELLS.includes(language))
  const indented = markdown.replaceAll(FENCED, '').match(/^ {4}.+$/gm) ?? []
  return [...fenced.flatMap(([, , block = '']) => block.split('\n')), ...indented].flatMap(commandsIn)
}

/** The commands in the sentences of a text; where one is spoken of as such, its arguments may be left out. */
export function mentionsOf(markdown: string): CommandLine[] {
  return [...markdown.replaceAll(FENCED, '').matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => commandsIn(code))
}

/** Of a line that a shell may divide into several commands. */
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
