import { Option } from 'commander'
import type { LabelledPet } from '../domain/administration/categories.ts'
import {
  correctPets,
  deletePets,
  previewPets,
  requireVersion,
  type SelectionPreview,
} from '../domain/administration/selected-pets.ts'
import { invalid } from '../domain/errors.ts'
import { formatCount, formatNumber } from '../domain/format-number.ts'
import { PET_STATUSES, type PetStatus } from '../domain/pet.ts'
import { MAX_PETS_CHANGED, type PetFilter } from '../domain/pet-selection.ts'
import { ChangedPetsJson, DeletedPetsJson, petPreviewJson } from '../schema/responses/pets.ts'
import { writeJson } from '../schema/write-json.ts'
import { parseInteger } from './arguments.ts'
import type { Command } from './command.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { type JsonOption, print, printJson, printText } from './output/print.ts'
import { addSelectionOptions, membersOf, type PetFilterOptions, parseSelection } from './pet-filter.ts'
import { undoHint } from './pet-undo.ts'
import { withAdminContext, withStore } from './with-store.ts'

/** The number of names in a question. */
const NAMES_SHOWN = 5

export function addManyPetsCommands(pet: Command): void {
  addSelectionOptions(pet.newCommand('correct-many', 'Change the name, category or status of all selected animals.'))
    .option('--set-name <name>', 'their new name')
    .option('--set-category <n>', 'their new category, a whole number', parseInteger)
    .addOption(new Option('--set-status <status>', 'their new status').choices(PET_STATUSES))
    .option('--dry-run', 'show what would be changed, change nothing')
    .option(...YES)
    .json('print the result as JSON', CORRECT_HELP)
    .action(async (options: CorrectOptions) => {
      const filter = parseSelection(options)
      const change = await parseChange(options)
      if (options.dryRun) return showMany(filter, options, 'changed')
      const confirmed = await confirmMany(filter, options, 'Change')
      const { version } = confirmed
      const { count, entryId } = await withAdminContext(context => correctPets(context, { filter, version, change }))
      const rest = confirmed.count - count
      const alreadySo = rest > 0 ? `; ${formatCount(rest, 'other')} already had these values` : ''
      const json = writeJson(ChangedPetsJson, { changed: count, entryId })
      print(options.json, json, `${formatCount(count, 'animal')} changed${alreadySo}.`, ...undoHint(entryId))
    })

  addSelectionOptions(pet.newCommand('delete-many', 'Delete all selected animals.'))
    .option('--dry-run', 'show what would be deleted, delete nothing')
    .option(...YES)
    .json('print the result as JSON', DELETE_HELP)
    .action(async (options: ManyOptions) => {
      const filter = parseSelection(options)
      if (options.dryRun) return showMany(filter, options, 'deleted')
      const { version } = await confirmMany(filter, options, 'Delete')
      const { count, entryId } = await withAdminContext(context => deletePets(context, { filter, version }))
      const json = writeJson(DeletedPetsJson, { deleted: count, entryId })
      print(options.json, json, `${formatCount(count, 'animal')} deleted.`, ...undoHint(entryId))
    })
}

interface ManyOptions extends PetFilterOptions, YesOption, JsonOption {
  dryRun?: true
}

interface CorrectOptions extends ManyOptions {
  setName?: string
  setCategory?: bigint
  setStatus?: PetStatus
}

/**
 * Prints what would be changed.
 * @throws UserError if these animals cannot be changed, as without `--dry-run`
 */
async function showMany(filter: PetFilter, { json }: ManyOptions, done: 'changed' | 'deleted'): Promise<void> {
  const preview = await withStore(store => previewPets(store, filter))
  if (json) printJson(petPreviewJson(preview))
  requireVersion(preview)
  if (!json) printText(`${formatCount(preview.count, 'animal')} would be ${done}${formatNames(preview)}.`)
}

async function confirmMany(filter: PetFilter, { yes }: ManyOptions, verb: 'Change' | 'Delete') {
  const preview = await withStore(store => previewPets(store, filter))
  const version = requireVersion(preview)
  const { count } = preview
  const question = `${verb} ${formatCount(count, 'animal')}${formatNames(preview)}?`
  await confirm(yes, async () => (count === 0 ? undefined : question))
  return { version, count }
}

/** Such as " (3 Rex, 4 Bella and 35 more)". */
function formatNames({ count, sample }: SelectionPreview): string {
  const shown = sample.slice(0, NAMES_SHOWN)
  if (shown.length === 0) return ''
  const names = shown.map(({ id, name }: LabelledPet) => `${id} ${name}`).join(', ')
  const more = count > shown.length ? ` and ${formatCount(count - shown.length, 'more').replace(/s$/, '')}` : ''
  return ` (${names}${more})`
}

/**
 * Checks the new values as the API does.
 * @throws UserError, InvalidInput
 */
async function parseChange({ setName, setCategory, setStatus }: CorrectOptions) {
  const change = membersOf({ name: setName, category: setCategory, status: setStatus })
  if (Object.keys(change).length === 0) {
    throw invalid('Nothing to change: add --set-name, --set-category or --set-status.')
  }
  // Loaded late, so that help and other commands stay fast.
  const { checkPetChange } = await import('../schema/pet-json.ts')
  return checkPetChange(change)
}

const SELECTION_HELP = `
Select animals by conditions that they all meet, or by --ids. At most
${formatNumber(MAX_PETS_CHANGED)} are changed at a time, all of them or none: nothing is changed if any of
them has changed since they were counted. On a terminal, you are asked first.`

const CORRECT_HELP = `${SELECTION_HELP}
To undo it, use petstore pet undo.

Examples:
  $ petstore pet correct-many --category 3 --status pending --set-status sold
  $ petstore pet correct-many --ids 3,4,9 --set-category 2 --dry-run`

const DELETE_HELP = `${SELECTION_HELP}
To bring them back, use petstore pet undo.

Examples:
  $ petstore pet delete-many --status sold --before 1000 --dry-run
  $ petstore pet delete-many --ids 3,4,9 --yes --json`
