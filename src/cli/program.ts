import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { COMMAND } from '../command-name.ts'
import { addAccountCreate } from './account-create.ts'
import { addAccountDelete } from './account-delete.ts'
import { addAccountList } from './account-list.ts'
import { addAccountRename } from './account-rename.ts'
import { addAccountResume } from './account-resume.ts'
import { addAccountSetPlan } from './account-set-plan.ts'
import { addAccountSuspend } from './account-suspend.ts'
import { addAudit } from './audit.ts'
import { addBackup } from './backup.ts'
import { addBanLift } from './ban-lift.ts'
import { addBanList } from './ban-list.ts'
import { addDoctor } from './doctor.ts'
import { explain, formatError } from './explain.ts'
import { addHelp } from './help.ts'
import { addKeyCreate } from './key-create.ts'
import { addKeyList } from './key-list.ts'
import { addKeyRevoke } from './key-revoke.ts'
import { addKeyRotate } from './key-rotate.ts'
import { addMigrateStore } from './migrate-store.ts'
import { watchOutput } from './output.ts'
import { addPetAdd } from './pet-add.ts'
import { addPetCorrect } from './pet-correct.ts'
import { addPetDelete } from './pet-delete.ts'
import { addPetExport } from './pet-export.ts'
import { addPetImport } from './pet-import.ts'
import { addPetList } from './pet-list.ts'
import { addPetShow } from './pet-show.ts'
import { addRestore } from './restore.ts'
import { addServe } from './serve.ts'
import { addTokenCreate } from './token-create.ts'
import { addTokenList } from './token-list.ts'
import { addTokenRevoke } from './token-revoke.ts'
import { addUsage } from './usage.ts'

const HELP_WIDTH = 80

/** Runs one command line. A mistake ends as lines on standard error and exit code 1. */
export async function run(argv: readonly string[]): Promise<void> {
  watchOutput()
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(explain(error))
  }
}

/** Every command that there is. */
export function buildProgram(): Command {
  const program = new Command(COMMAND)
    .description('Publishes the animals of a shop or a shelter to partners and apps.')
    .version(manifest.version, '--version', 'print the version')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .addHelpText('after', EXAMPLES)

  program.commandsGroup('The service:')
  addServe(program)
  addBackup(program)
  addRestore(program)
  addMigrateStore(program)
  addDoctor(program)

  program.commandsGroup('Who may call it:')
  const account = program.command('account').description('Accounts: who calls, and how often they may.')
  addAccountCreate(account)
  addAccountList(account)
  addAccountRename(account)
  addAccountSetPlan(account)
  addAccountSuspend(account)
  addAccountResume(account)
  addAccountDelete(account)

  const key = program.command('key').description('API keys: what an account calls with.')
  addKeyCreate(key)
  addKeyList(key)
  addKeyRotate(key)
  addKeyRevoke(key)

  const ban = program.command('ban').description('Bans of keys that went on calling when told to wait.')
  addBanList(ban)
  addBanLift(ban)

  program.commandsGroup('What it publishes:')
  const pet = program.command('pet').description('Animals: look them up, add, correct, import and export them.')
  addPetList(pet)
  addPetShow(pet)
  addPetAdd(pet)
  addPetCorrect(pet)
  addPetDelete(pet)
  addPetImport(pet)
  addPetExport(pet)

  program.commandsGroup('Who runs it, and how it goes:')
  const token = program.command('token').description('Operator tokens: what your colleagues sign in with.')
  addTokenCreate(token)
  addTokenList(token)
  addTokenRevoke(token)
  addUsage(program)
  addAudit(program)

  program.commandsGroup('Help:')
  addHelp(program)
  hintAtHelp(program)
  return program
}

const EXAMPLES = `
Start here:
  $ petstore serve --demo                       try it with animals and a key
  $ petstore account create acme --plan pro     an account,
  $ petstore key create acme --name laptop      a key for it,
  $ petstore pet add Rex --category 1           an animal,
  $ petstore serve                              and the service

Every command works on the store that the settings name: PETSTORE_DATABASE_URL,
or else the folder PETSTORE_DATA (./data). All but restore and migrate-store may
be used while the service runs; changes hold from the next call on.
All settings: petstore serve --help`

/** A command line that makes no sense is told in one line, which says where to read on. */
function hintAtHelp(command: Command, path = command.name()): void {
  command.configureOutput({
    outputError: (text, write) => {
      const message = text
        .trim()
        .replace(/^error: /, '')
        .replace(/\.$/, '')
      write(formatError(`${message}; see "${path} --help".`))
    },
  })
  for (const child of command.commands) hintAtHelp(child, `${path} ${child.name()}`)
}
