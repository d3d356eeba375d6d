import type { Command } from 'commander'
import { invalid } from '../domain/errors.ts'
import { formatError } from './output/text.ts'

/** Makes `petstore help pet import` and `petstore pet help import` the same as `petstore pet import --help`. */
export function addHelpCommands(group: Command): void {
  for (const child of group.commands.filter(({ commands }) => commands.length > 0)) addHelpCommands(child)
  group
    .command('help')
    .description('Show the help for a command.')
    .argument('[command...]', 'such as pet import')
    .action((path: readonly string[]) => walk(group, path).outputHelp())
}

function walk(group: Command, path: readonly string[]): Command {
  return path.reduce((command, name) => {
    const next = command.commands.find(child => child.name() === name)
    if (next) return next
    throw invalid(`There is no command "${name}"; see "${pathOf(command)} --help".`)
  }, group)
}

/** Names the program in examples as it was called, such as `./petstore`, so that they work when pasted. */
export function nameProgramInExamples(command: Command, name = command.name()): void {
  const rename = (text: string) => text.replaceAll(EXAMPLE, example => example.replaceAll(PROGRAM, () => `${name} `))
  if (name !== 'petstore') {
    command.configureOutput({
      writeOut: text => void process.stdout.write(rename(text)),
      writeErr: text => void process.stderr.write(rename(text)),
    })
  }
  for (const child of command.commands) nameProgramInExamples(child, name)
}

const EXAMPLE = /^ +\$ .+$/gm
/** Also after a variable, a pipe or a bracket. */
const PROGRAM = /(?<=[ (])petstore /g

/** Reports an invalid command line in one line that names the help to read. */
export function hintAtHelp(command: Command): void {
  command.configureOutput({
    outputError: (text, write) => {
      const message = text
        .trim()
        .replace(/^error: (command-argument )?/, '')
        .replace(/\.$/, '')
      write(formatError(`${message}; see "${pathOf(command)} --help".`))
    },
  })
  for (const child of command.commands) hintAtHelp(child)
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
