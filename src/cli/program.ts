import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { COMMAND } from '../app/command-name.ts'
import { addAccountCommands } from './account.ts'
import { addAuditCommand } from './audit.ts'
import { addBackupCommands } from './backup.ts'
import { addBanCommands } from './ban.ts'
import { addDoctorCommand } from './doctor.ts'
import { addHelpCommands, hintAtHelp } from './help.ts'
import { addKeyCommands } from './key.ts'
import { addMigrateStoreCommand } from './migrate-store.ts'
import { explain } from './output/explain.ts'
import { watchOutput } from './output/print.ts'
import { addPetCommands } from './pet.ts'
import { addServeCommand } from './serve.ts'
import { addTokenCommands } from './token.ts'
import { addUsageCommand } from './usage.ts'

const HELP_WIDTH = 80

/** Runs one command line. An error ends as lines on standard error and exit code 1. */
export async function run(argv: readonly string[]): Promise<void> {
  watchOutput()
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(explain(error))
  }
}

/** All commands. */
export function buildProgram(): Command {
  const program = new Command(COMMAND)
    .description('Publishes the animals of a shop or a shelter to partners and apps.')
    .version(manifest.version, '--version', 'print the version')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .addHelpText('after', HELP)

  program.commandsGroup('Service:')
  addServeCommand(program)
  addBackupCommands(program)
  addMigrateStoreCommand(program)
  addDoctorCommand(program)

  program.commandsGroup('Access to the API:')
  addAccountCommands(program)
  addKeyCommands(program)
  addBanCommands(program)

  program.commandsGroup('Catalogue:')
  addPetCommands(program)

  program.commandsGroup('Operators and reports:')
  addTokenCommands(program)
  addUsageCommand(program)
  addAuditCommand(program)

  program.commandsGroup('Help:')
  addHelpCommands(program)
  hintAtHelp(program)
  return program
}

const HELP = `
Get started:
  $ petstore serve --demo                       try it with sample animals,
  $ petstore account create acme --plan pro     or create an account,
  $ petstore key create acme --name laptop      a key for it
  $ petstore pet add Rex --category 1           and an animal,
  $ petstore serve                              and start the service

Every command uses the store that the settings name: PETSTORE_DATABASE_URL or,
if unset, the folder PETSTORE_DATA (./data). Except for restore and
migrate-store, commands are safe while the service runs; changes apply from the
next call on.
All settings: petstore serve --help`
