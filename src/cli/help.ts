import type { Command } from 'commander'
import { Mistake } from '../domain/errors.ts'

/** `petstore help pet import` shows what `petstore pet import --help` does; each group of commands has a `help` of its own. */
export function addHelp(group: Command): void {
  for (const child of group.commands.filter(({ commands }) => commands.length > 0)) addHelp(child)
  group
    .command('help')
    .description('Show the help of a command.')
    .argument('[command...]', 'such as pet import')
    .action((path: readonly string[]) => walk(group, path).outputHelp())
}

function walk(group: Command, path: readonly string[]): Command {
  return path.reduce((command, name) => {
    const next = command.commands.find(child => child.name() === name)
    if (next) return next
    throw new Mistake('not_found', `There is no command "${name}"; see "${pathOf(command)} --help".`)
  }, group)
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
