import { Option } from 'commander'
import { COMMAND } from '../app/command-name.ts'
import { petsOfEntry } from '../domain/administration/audit.ts'
import { type LabelledPet, labelPet, labelPets } from '../domain/administration/categories.ts'
import { addPet, correctPet, deletePet, findPet, listPetHistory } from '../domain/administration/pets.ts'
import { invalid } from '../domain/errors.ts'
import { formatNumber } from '../domain/format-number.ts'
import { type MemberName, type NewPet, PET_STATUSES } from '../domain/pet.ts'
import { PET_ORDERS, type PetOrder } from '../domain/store/animals.ts'
import type { Page } from '../domain/store/page.ts'
import type { Store } from '../domain/store.ts'
import { petOfEntryJson } from '../schema/responses/audit.ts'
import { deletedPetJson, petEventJson, petJson, petTotalsJson } from '../schema/responses/pets.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import type { Command } from './command.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { formatFacts } from './output/facts.ts'
import { type JsonOption, print } from './output/print.ts'
import { type Columns, formatFields } from './output/table.ts'
import { formatMinute } from './output/text.ts'
import { addPageOptions, PAGES_HELP, type PageOptions, showPage } from './pages.ts'
import { addPetExportCommand } from './pet-export.ts'
import { addConditionOptions, conditionsOf, membersOf, type PetFilterOptions, type PetOptions } from './pet-filter.ts'
import { addPetImportCommand } from './pet-import.ts'
import { addManyPetsCommands } from './pet-many.ts'
import { addPetSyncCommand } from './pet-sync.ts'
import { addUndoCommands, printChanged } from './pet-undo.ts'
import { withAdminContext, withStore } from './with-store.ts'

const DEFAULT_LIMIT = 20
const ID = 'id of the animal'

export function addPetCommands(program: Command): void {
  const pet = program.newCommand('pet', 'Animals: find, add, correct, delete, import and export them.')

  addConditionOptions(pet.newCommand('list', 'List animals by their ids, oldest first.'))
    .addOption(
      new Option('--sort <order>', 'oldest or newest animals first').choices(PET_ORDERS).default('oldest', 'oldest'),
    )
    .option('--after <id>', 'only animals with a higher id', parseInteger)
    .option('--before <id>', 'only animals with a lower id', parseInteger)
    .option('--limit <n>', 'maximum number of animals, up to 1,000', parseLimit, DEFAULT_LIMIT)
    .option('--deleted', 'only deleted animals, as they were last')
    .json('print a JSON array of animals', LIST_HELP)
    .action(async ({ sort, limit, deleted, json, ...options }: ListOptions) => {
      const search = { ...conditionsOf(options), order: sort }
      const edge = sort === 'newest' ? 'before' : 'after'
      if (deleted) {
        const read = async (store: Store, { limit }: Pick<Page, 'limit'>) =>
          labelPets(store, (await store.searchDeletedPets({ ...search, limit })).pets)
        return showPage({ limit, json }, edge, read, {
          toJson: deletedPetJson,
          columns: {
            ...LIST_COLUMNS,
            DELETED: one => formatMinute(one.deletedAt),
            WHO: one => one.deletedBy,
            ENTRY: one => one.entryId,
          },
          whenEmpty: 'No deleted animal matches.',
          hintAt: first => `Bring one back with: ${COMMAND} pet restore ${first.id} --before ${first.entryId}`,
        })
      }
      const read = async (store: Store, { limit }: Pick<Page, 'limit'>) =>
        labelPets(store, (await store.searchPets({ ...search, limit })).pets)
      return showPage({ limit, json }, edge, read, {
        toJson: petJson,
        columns: LIST_COLUMNS,
        whenEmpty:
          Object.keys(options).length > 0
            ? 'No animal matches.'
            : `There are no animals yet; import some with ${COMMAND} pet import.`,
      })
    })

  addConditionOptions(pet.newCommand('count', 'Count animals by their status.'))
    .json('print the numbers as JSON', COUNT_HELP)
    .action(async ({ json, ...options }: PetFilterOptions & JsonOption) => {
      const totals = petTotalsJson(await withStore(store => store.countPets(conditionsOf(options))))
      const { total, available, pending, sold } = totals
      const fields = { Available: available, Pending: pending, Sold: sold, Total: total }
      const texts = Object.entries(fields).map(([name, count]) => [name, formatNumber(count)])
      print(json, totals, formatFields(Object.fromEntries(texts)))
    })

  pet
    .newCommand('show', 'Show one animal.')
    .argument('<id>', ID)
    .json('print the animal as JSON', SHOW_HELP)
    .action(async (id: string, { json }: JsonOption) => {
      const found = await withStore(async store => labelPet(store, await findPet(store, id)))
      print(json, petJson(found), formatFields({ Id: found.id, ...fieldsOf(found) }))
    })

  const history = pet.newCommand('history', 'Show what operators did to an animal, newest first.').argument('<id>', ID)
  addPageOptions(history, 'before', 'events', DEFAULT_LIMIT)
    .json('print a JSON array of events', HISTORY_HELP)
    .action(async (id: string, options: PageOptions) => {
      await showPage(options, 'before', (store, page) => listPetHistory(store, id, page), {
        toJson: petEventJson,
        columns: {
          ID: one => one.id,
          TIME: one => formatMinute(one.at),
          WHO: one => one.actor,
          FROM: one => one.origin,
          ACTION: one => one.action,
          CHANGE: formatFacts,
        },
        whenEmpty: 'No operator has changed this animal.',
      })
    })

  const changedBy = pet
    .newCommand('changed-by', 'List the animals that an action changed: an entry of the audit log.')
    .argument('<entry-id>', 'id of the entry; petstore audit --action pet lists them')
  addPageOptions(changedBy, 'after', 'animals')
    .json('print a JSON array of animals', CHANGED_BY_HELP)
    .action(async (entryId: string, options: PageOptions) => {
      await showPage(options, 'after', (store, page) => petsOfEntry(store, entryId, page), {
        toJson: petOfEntryJson,
        columns: {
          ID: one => one.id,
          NAME: one => (one.after ?? one.before)?.name ?? '-',
          CHANGE: formatFacts,
        },
        whenEmpty: 'This entry has no animals.',
      })
    })

  pet
    .newCommand('add', 'Add an animal to the catalogue.')
    .argument('<name>', 'name of the animal')
    .requiredOption('--category <n>', 'its category, a whole number (required)', parseInteger)
    .addOption(statusOption('its status (default: available)'))
    .json('print the animal as JSON', ADD_HELP)
    .action(async (name: string, { json, ...options }: PetOptions & JsonOption) => {
      const pet = await checkPet(membersOf({ ...options, name }))
      const added = await withAdminContext(context => addPet(context, pet))
      printChanged(json, added, `Animal ${added.id} is ${describe(added)}.`)
    })

  pet
    .newCommand('correct', 'Change the name, category or status of an animal.')
    .argument('<id>', ID)
    .option('--name <name>', 'its new name')
    .option('--category <n>', 'its new category, a whole number', parseInteger)
    .addOption(statusOption('its new status'))
    .json('print the animal as JSON', CORRECT_HELP)
    .action(async (id: string, { json, ...options }: PetOptions & JsonOption) => {
      const change = membersOf(options)
      if (Object.keys(change).length === 0) throw invalid('Nothing to change: add --name, --category or --status.')
      const corrected = await withAdminContext(async context => {
        const found = await findPet(context.store, id)
        return labelPet(context.store, await correctPet(context, found, await checkPet({ ...found, ...change })))
      })
      printChanged(json, corrected, `Animal ${corrected.id} is now ${describe(corrected)}.`)
    })

  pet
    .newCommand('delete', 'Delete an animal from the catalogue.')
    .argument('<id>', ID)
    .option(...YES)
    .json('print the deleted animal as JSON', DELETE_HELP)
    .action(async (id: string, { yes, json }: YesOption & JsonOption) => {
      await confirm(yes, async () => {
        const { name } = await withStore(store => findPet(store, id))
        return `Delete animal ${id} "${name}"?`
      })
      const deleted = await withAdminContext(async context => {
        const found = await findPet(context.store, id)
        return labelPet(context.store, { ...found, entryId: await deletePet(context, found) })
      })
      printChanged(json, deleted, `Animal ${deleted.id} "${deleted.name}" is deleted.`)
    })

  addManyPetsCommands(pet)
  addUndoCommands(pet)
  addPetImportCommand(pet)
  addPetExportCommand(pet)
  addPetSyncCommand(pet)
}

interface ListOptions extends PetFilterOptions, JsonOption {
  sort: PetOrder
  limit: number
  deleted?: true
}

const LIST_COLUMNS: Columns<LabelledPet> = {
  ID: one => one.id,
  CATEGORY: formatCategory,
  STATUS: one => one.status,
  NAME: one => one.name,
}

const FIELDS: Readonly<Record<MemberName, readonly [title: string, format: (pet: LabelledPet) => string]>> = {
  name: ['Name', ({ name }) => name],
  categoryId: ['Category', formatCategory],
  status: ['Status', ({ status }) => status],
}

function fieldsOf(pet: LabelledPet): Record<string, string> {
  return Object.fromEntries(Object.values(FIELDS).map(([title, format]) => [title, format(pet)]))
}

/** Such as "3 (Dogs)". */
function formatCategory({ categoryId, categoryLabel }: LabelledPet): string {
  return categoryLabel === undefined ? String(categoryId) : `${categoryId} (${categoryLabel})`
}

function describe(pet: LabelledPet): string {
  return `"${pet.name}", category ${formatCategory(pet)}, ${pet.status}`
}

function statusOption(description: string): Option {
  return new Option('--status <status>', description).choices(PET_STATUSES)
}

/**
 * Checks an animal as the API does.
 * @throws InvalidInput
 */
async function checkPet(members: Record<string, unknown>): Promise<NewPet> {
  // Loaded late, so that help and other commands stay fast.
  const { checkNewPet } = await import('../schema/pet-json.ts')
  return checkNewPet(members)
}

const LIST_HELP = `
If there are more animals than --limit, repeat the command with --after and the
last id shown to see the next page; with --sort newest, use --before.

With --deleted, the conditions apply to the last values of the animals.
petstore pet restore brings one back; petstore pet undo, all of one deletion.

Examples:
  $ petstore pet list --name rex
  $ petstore pet list --status available,pending --category 1 --limit 100
  $ petstore pet list --sort newest --json
  $ petstore pet list --deleted --name rex`

const COUNT_HELP = `
Examples:
  $ petstore pet count
  $ petstore pet count --name rex --category 1 --json`

const CHANGED_BY_HELP = `
Shows the values of each animal before and after the action, also for imports,
syncs, changes of many animals, and what petstore pet undo has done.
${PAGES_HELP}

Examples:
  $ petstore pet changed-by 12
  $ petstore pet changed-by 12 --after 100 --limit 100 --json`

const HISTORY_HELP = `
Includes the history of deleted animals. If a caller added the animal, its
history begins with its first change by an operator. Times are UTC.

Examples:
  $ petstore pet history 3
  $ petstore pet history 3 --limit 100 --json`

const SHOW_HELP = `
Examples:
  $ petstore pet show 3
  $ petstore pet show 3 --json`

const ADD_HELP = `
To add many at once, use petstore pet import.

Examples:
  $ petstore pet add Rex --category 1
  $ petstore pet add "Old Blue" --category 1 --status pending --json`

const CORRECT_HELP = `
The audit log (petstore audit) keeps the old and the new values.

Examples:
  $ petstore pet correct 3 --status sold
  $ petstore pet correct 3 --name "Señor Bigotes" --category 2 --json`

const DELETE_HELP = `
No other animal gets its id. petstore pet list --deleted finds it, and
petstore pet undo brings it back.

Examples:
  $ petstore pet delete 3
  $ petstore pet delete 3 --yes --json`
