import { COMMAND } from '../app/command-name.ts'
import { Command } from './command.ts'
import { addHelpCommands, hintAtHelp, nameProgramInExamples } from './help.ts'

const HELP_WIDTH = 80

export const VERSION = '--version'

/**
 * Returns the program with all commands.
 * @param first the first word of the command line: if it is a command, only that one is loaded, which halves the time for help
 */
export async function buildProgram(first?: string): Promise<Command> {
  const program = new Command(COMMAND)
    .description('Publishes the animals of a shop or a shelter to partners and apps.')
    .option(VERSION, 'print the version')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .addHelpText('after', HELP)
    .enablePositionalOptions()
    .exitOverride()

  const needed = PARTS.filter(({ names }) => first !== undefined && names.includes(first))
  const parts = needed.length > 0 ? needed : PARTS
  // In parallel, which is faster.
  const adders = await Promise.all(parts.map(({ load }) => load()))
  for (const [index, { heading }] of parts.entries()) {
    if (heading !== undefined) program.commandsGroup(heading)
    adders[index]?.(program)
  }
  program.commandsGroup('Help:')
  addHelpCommands(program)
  hintAtHelp(program)
  nameProgramInExamples(program)
  return program
}

interface Part {
  heading?: string
  names: readonly string[]
  load(): Promise<(program: Command) => void>
}

/** In the order of the help. */
const PARTS: readonly Part[] = [
  { heading: 'Service:', names: ['serve'], load: async () => (await import('./serve.ts')).addServeCommand },
  { names: ['backup', 'restore'], load: async () => (await import('./backup.ts')).addBackupCommands },
  { names: ['migrate-store'], load: async () => (await import('./migrate-store.ts')).addMigrateStoreCommand },
  { names: ['confirm-clock'], load: async () => (await import('./confirm-clock.ts')).addConfirmClockCommand },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).addDoctorCommand },

  {
    heading: 'Access to the API:',
    names: ['account'],
    load: async () => (await import('./account.ts')).addAccountCommands,
  },
  { names: ['key'], load: async () => (await import('./key.ts')).addKeyCommands },
  { names: ['claim-link'], load: async () => (await import('./claim-link.ts')).addClaimLinkCommands },
  { names: ['ban'], load: async () => (await import('./ban.ts')).addBanCommands },

  { heading: 'Catalogue:', names: ['pet'], load: async () => (await import('./pet.ts')).addPetCommands },
  { names: ['category'], load: async () => (await import('./category.ts')).addCategoryCommands },
  { names: ['source'], load: async () => (await import('./source.ts')).addSourceCommands },

  {
    heading: 'Operators and reports:',
    names: ['console'],
    load: async () => (await import('./console.ts')).addConsoleCommand,
  },
  { names: ['token'], load: async () => (await import('./token.ts')).addTokenCommands },
  { names: ['usage'], load: async () => (await import('./usage.ts')).addUsageCommand },
  { names: ['audit'], load: async () => (await import('./audit.ts')).addAuditCommand },

  {
    heading: 'Help:',
    names: ['version', VERSION],
    load: async () => (await import('./version.ts')).addVersionCommand,
  },
  { names: ['completion'], load: async () => (await import('./completion/completion.ts')).addCompletionCommand },
]

const HELP = `
Get started:
  $ petstore serve --demo                       try it with sample data,
  $ petstore account create acme --plan pro     or create an account,
  $ petstore key create acme --name laptop      a key for it
  $ petstore pet add Rex --category 1           and an animal,
  $ petstore serve                              and start the service

Every command uses the store set in PETSTORE_DATABASE_URL or, if that is unset,
the store in the folder PETSTORE_DATA (./data; while the demo runs and there is
no store in it, ./demo). Except for restore and migrate-store, commands are safe
while the service runs; changes apply from the next call. All settings: petstore
serve --help

On a terminal, commands ask before anything that cannot be undone; --yes skips
the question. Scripts are not asked.

Exit codes: 0 success, 1 failure, 2 invalid command line, 130 interrupted at a
question.`
