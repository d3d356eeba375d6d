import { Option } from 'commander'
import { COMMAND } from '../app/command-name.ts'
import {
  changeSource,
  createSource,
  findSource,
  type GivenSettings,
  removeSource,
} from '../domain/administration/sources.ts'
import { withExample } from '../domain/bad-lines.ts'
import { invalid } from '../domain/errors.ts'
import { nextExpectedAt, type Source, type SourceChange, type SourceRun } from '../domain/source.ts'
import { SOURCE_OPTIONS } from '../schema/file-options.ts'
import { sourceJson, sourceRunJson } from '../schema/responses/sources.ts'
import { parsePause } from './arguments.ts'
import type { Command } from './command.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { addFileOptions, readTyped, type TypedOptions } from './file-options.ts'
import { type JsonOption, print, printList } from './output/print.ts'
import { formatList } from './output/table.ts'
import { formatMinute } from './output/text.ts'
import { withAdminContext, withStore } from './with-store.ts'

export function addSourceCommands(program: Command): void {
  const source = program.newCommand('source', 'Sources of animals: files that other software writes again and again.')

  source
    .newCommand('list', 'List all sources, and when their next files are expected.')
    .json('print a JSON array of sources', LIST_HELP)
    .action(async ({ json }: JsonOption) => {
      const now = Date.now()
      printList(json, await withStore(store => store.listSources({})), {
        toJson: one => sourceJson(one, now),
        columns: SOURCE_COLUMNS,
        whenEmpty: `There are no sources yet; ${COMMAND} pet sync creates them.`,
      })
    })

  source
    .newCommand('show', 'Show a source and its last files.')
    .argument('<source>', 'name of the source')
    .json('print the source with its last files as JSON', SHOW_HELP)
    .action(async (name: string, { json }: JsonOption) => {
      const { found, runs } = await withStore(async store => {
        const found = await findSource(store, name)
        return { found, runs: await store.listSourceRuns({ sourceId: found.id, limit: RUNS_SHOWN }) }
      })
      const document = { ...sourceJson(found, Date.now()), runs: runs.map(sourceRunJson) }
      const files = runs.length === 0 ? 'No file has come yet.' : formatList(runs, RUN_COLUMNS)
      print(json, document, formatList([found], SOURCE_COLUMNS), '', files)
    })

  addSettings(source.newCommand('create', 'Create a source, for a token that sends its file.'))
    .addHelpText('after', CREATE_HELP)
    .action(async (name: string, flags: SettingFlags) => {
      const created = await withAdminContext(context => createSource(context, name, settingsOf(flags)))
      print(flags.json, sourceJson(created, Date.now()), `Created the source ${created.name}.`)
    })

  addSettings(source.newCommand('set', 'Change the settings of a source.'))
    .addOption(new Option('--default <setting...>', 'return to the default of').choices(Object.keys(DEFAULTS)))
    .addHelpText('after', SET_HELP)
    .action(async (name: string, { default: reset = [], ...flags }: SettingFlags & Reset) => {
      const given = settingsOf(flags)
      const both = reset.find(setting => given[DEFAULTS[setting][0]] !== undefined)
      if (both) throw invalid(`Use either --${both} or --default ${both}.`)
      const change: SourceChange = { ...given, ...Object.fromEntries(reset.map(setting => DEFAULTS[setting])) }
      if (Object.values(change).every(setting => setting === undefined)) throw invalid(NOTHING_TO_CHANGE)
      const changed = await withAdminContext(context => changeSource(context, name, change))
      print(flags.json, sourceJson(changed, Date.now()), `Changed the source ${changed.name}.`)
    })

  source
    .newCommand('remove', 'Remove a source; its animals stay.')
    .argument('<source>', 'name of the source')
    .option(...YES)
    .json('print the removed source as JSON', REMOVE_HELP)
    .action(async (name: string, { yes, json }: YesOption & JsonOption) => {
      await confirm(yes, async () => {
        const { name: own } = await withStore(store => findSource(store, name))
        return `The ids of the animals of ${own} would be forgotten: its next file would add them again. Remove it?`
      })
      const removed = await withAdminContext(context => removeSource(context, name))
      print(json, sourceJson(removed, Date.now()), `Removed the source ${removed.name}; its animals stay.`)
    })
}

interface SettingFlags extends TypedOptions, JsonOption {
  every?: number
}

function addSettings(command: Command): Command {
  return addFileOptions(command.argument('<source>', 'name of the source'), SOURCE_OPTIONS)
    .option('--every <time>', 'how often a file is expected, such as 1d (default: learned)', parsePause)
    .option('--json', 'print the source as JSON')
}

function settingsOf({ every, ...flags }: SettingFlags) {
  return { ...readTyped<GivenSettings>(flags, SOURCE_OPTIONS), pauseSeconds: every }
}

/** The settings that can return to their default, each with that default, by their options. */
const DEFAULTS = {
  key: ['keyColumn', null],
  'max-removals': ['maxRemovals', null],
  every: ['pauseSeconds', null],
  value: ['meanings', null],
  'new-categories': ['newCategories', false],
} as const

const NOTHING_TO_CHANGE =
  'Nothing to change: add --key, --missing, --max-removals, --every, --value, --new-categories or --default.'

interface Reset {
  default?: readonly (keyof typeof DEFAULTS)[]
}

const RUNS_SHOWN = 10

const SOURCE_COLUMNS = {
  NAME: ({ name }: Source) => name,
  MISSING: ({ missing }: Source) => missing,
  'MOST REMOVALS': ({ maxRemovals }: Source) => maxRemovals ?? '-',
  'LAST FILE': ({ lastRun }: Source) => formatMinute(lastRun?.at),
  OUTCOME: ({ lastRun }: Source) => (lastRun ? outcomeOf(lastRun) : '-'),
  'NEXT EXPECTED': (one: Source) => formatMinute(nextExpectedAt(one)),
}

const RUN_COLUMNS = {
  TIME: ({ at }: SourceRun) => formatMinute(at),
  WHO: ({ actor }: SourceRun) => actor,
  READ: ({ read }: SourceRun) => read,
  ADDED: ({ added }: SourceRun) => added,
  CORRECTED: ({ corrected }: SourceRun) => corrected,
  RETURNED: ({ returned }: SourceRun) => returned,
  REMOVED: ({ removed }: SourceRun) => removed,
  'LEFT OUT': ({ leftOut }: SourceRun) => leftOut,
  ENTRY: ({ auditId }: SourceRun) => auditId ?? '-',
  OUTCOME: ({ refusal, reasons }: SourceRun) =>
    refusal === undefined ? 'synced' : `refused: ${withExample(refusal, reasons)}`,
}

function outcomeOf({ refusal }: SourceRun): string {
  return refusal === undefined ? 'synced' : 'refused'
}

const LIST_HELP = `
NEXT EXPECTED is learned from the times of the last files, or set with petstore
source set --every. All times are UTC.

Examples:
  $ petstore source list
  $ petstore source list --json`

const SHOW_HELP = `
ENTRY is the entry of the audit log, for petstore pet undo. Refused files have
changed nothing.

Examples:
  $ petstore source show riverside
  $ petstore source show riverside --json`

const SETTINGS_HELP = `Each --value says what a word in the files means, also in those that other
software sends; --value replaces the ones that the source had.

--every takes a length of time in hours, days, weeks or years (12h, 1d). A file
that has not come after twice that time is reported by petstore doctor, and by
the health in the console.`

const CREATE_HELP = `
petstore pet sync creates a source, too.

${SETTINGS_HELP}

Examples:
  $ petstore source create riverside
  $ petstore source create riverside --missing delete --every 1d --json`

const SET_HELP = `
${SETTINGS_HELP}

Examples:
  $ petstore source set riverside --every 1d
  $ petstore source set riverside --value status:Foster=pending
  $ petstore source set riverside --default every
  $ petstore source set riverside --missing delete --max-removals 5% --json`

const REMOVE_HELP = `
Its runs and the ids of its animals are forgotten. Tokens for it no longer work,
unless a source with this name is created again.

Examples:
  $ petstore source remove riverside
  $ petstore source remove riverside --yes --json`
