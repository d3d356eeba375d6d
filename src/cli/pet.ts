import { type Command, Option } from 'commander'
import { addPet, correctPet, deletePet, findPet } from '../domain/administration/pets.ts'
import { UserError } from '../domain/errors.ts'
import { type NewPet, PET_STATUSES, type PetStatus } from '../domain/pet.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { type JsonOption, print, printList } from './output/print.ts'
import { formatFields } from './output/table.ts'
import { addPetFileCommands } from './pet-files.ts'
import { withAdminContext, withStore } from './with-store.ts'

const DEFAULT_LIMIT = 20
const ID = 'id of the animal'

export function addPetCommands(program: Command): void {
  const pet = program.command('pet').description('Animals: find, add, correct, delete, import and export them.')

  pet
    .command('list')
    .description('List animals by ascending id.')
    .option('--name <part>', 'only names that contain this, in upper or lower case')
    .addOption(statusOption('only animals with this status'))
    .option('--category <n>', 'only animals of this category', parseInteger)
    .addOption(new Option('--after <id>', 'start after this id').argParser(parseInteger).default(0n, 'the start'))
    .option('--limit <n>', 'maximum number of animals, up to 1,000', parseLimit, DEFAULT_LIMIT)
    .option('--json', 'print a JSON array of animals')
    .addHelpText('after', LIST_HELP)
    .action(async ({ name, status, category, after, limit, json }: ListOptions) => {
      const search = { name, status, categoryId: category, id: undefined, afterId: after, limit }
      const { pets, hasMore } = await withStore(store => store.searchPets(search))
      printList(json, pets, {
        toJson: one => one,
        columns: {
          ID: one => one.id,
          CATEGORY: one => one.categoryId,
          STATUS: one => one.status,
          NAME: one => one.name,
        },
        whenEmpty: 'There are no such animals.',
        hint: hasMore ? `There are more: add --after ${pets.at(-1)?.id} to see the next page.` : undefined,
      })
    })

  pet
    .command('show')
    .description('Show one animal.')
    .argument('<id>', ID)
    .option('--json', 'print the animal as JSON')
    .addHelpText('after', SHOW_HELP)
    .action(async (id: string, { json }: JsonOption) => {
      const found = await withStore(store => findPet(store, id))
      print(
        json,
        found,
        formatFields({ Id: found.id, Name: found.name, Category: found.categoryId, Status: found.status }),
      )
    })

  pet
    .command('add')
    .description('Add an animal to the catalogue.')
    .argument('<name>', 'name of the animal')
    .requiredOption('--category <n>', 'its category, a whole number (required)', parseInteger)
    .addOption(statusOption('its status (default: available)'))
    .option('--json', 'print the animal as JSON')
    .addHelpText('after', ADD_HELP)
    .action(async (name: string, { json, ...options }: PetOptions & JsonOption) => {
      const pet = await checkPet(membersOf({ ...options, name }))
      const added = await withAdminContext(context => addPet(context, pet))
      print(json, added, `Animal ${added.id} is "${added.name}", of category ${added.categoryId}, ${added.status}.`)
    })

  pet
    .command('correct')
    .description('Change the name, category or status of an animal.')
    .argument('<id>', ID)
    .option('--name <name>', 'its new name')
    .option('--category <n>', 'its new category, a whole number', parseInteger)
    .addOption(statusOption('its new status'))
    .option('--json', 'print the animal as JSON')
    .addHelpText('after', CORRECT_HELP)
    .action(async (id: string, { json, ...options }: PetOptions & JsonOption) => {
      const change = membersOf(options)
      if (Object.keys(change).length === 0) {
        throw new UserError('invalid', 'Nothing to change: add --name, --category or --status.')
      }
      const corrected = await withAdminContext(async context => {
        const found = await findPet(context.store, id)
        return correctPet(context, found, await checkPet({ ...found, ...change }))
      })
      const { name, categoryId, status } = corrected
      print(json, corrected, `Animal ${corrected.id} is now "${name}", of category ${categoryId}, ${status}.`)
    })

  pet
    .command('delete')
    .description('Delete an animal from the catalogue.')
    .argument('<id>', ID)
    .option(...YES)
    .option('--json', 'print the deleted animal as JSON')
    .addHelpText('after', DELETE_HELP)
    .action(async (id: string, { yes, json }: YesOption & JsonOption) => {
      await confirm(yes, async () => {
        const { name } = await withStore(store => findPet(store, id))
        return `Delete animal ${id} "${name}"? This cannot be undone.`
      })
      const deleted = await withAdminContext(async context => {
        const found = await findPet(context.store, id)
        await deletePet(context, found)
        return found
      })
      print(json, deleted, `Animal ${deleted.id} "${deleted.name}" is deleted.`)
    })

  addPetFileCommands(pet)
}

interface ListOptions extends JsonOption {
  name?: string
  status?: PetStatus
  category?: bigint
  after: bigint
  limit: number
}

interface PetOptions {
  name?: string
  category?: bigint
  status?: PetStatus
}

function statusOption(description: string): Option {
  return new Option('--status <status>', description).choices(PET_STATUSES)
}

/** The members that were given, under the names that the API gives them. */
function membersOf({ name, category, status }: PetOptions): Record<string, unknown> {
  return {
    ...(name !== undefined && { name }),
    ...(category !== undefined && { categoryId: category }),
    ...(status !== undefined && { status }),
  }
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
If there are more animals than --limit, get the next page with the same options
and --after the last id of this page.

Examples:
  $ petstore pet list --name rex
  $ petstore pet list --status available --category 1 --limit 100
  $ petstore pet list --after 20 --json`

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
The id is never used again. The audit log (petstore audit) keeps the animal's
last values.

Examples:
  $ petstore pet delete 3
  $ petstore pet delete 3 --yes --json`
