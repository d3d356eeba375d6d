import { type Command, Option } from 'commander'
import { PET_STATUSES, type PetStatus } from '../domain/pet.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import { printJson } from './json.ts'
import { printTable, printText } from './text.ts'
import { withStore } from './with-store.ts'

const DEFAULT_LIMIT = 20
const HEADINGS = ['ID', 'CATEGORY', 'STATUS', 'NAME']

interface Options {
  name?: string
  status?: PetStatus
  category?: bigint
  after: bigint
  limit: number
  json?: true
}

export function addPetList(pet: Command): void {
  pet
    .command('list')
    .description('List animals by ascending id.')
    .option('--name <part>', 'only those whose name has this part, in whatever case')
    .addOption(new Option('--status <status>', 'only those with this status').choices(PET_STATUSES))
    .option('--category <n>', 'only those of this category', parseInteger)
    .addOption(new Option('--after <id>', 'begin behind this id').argParser(parseInteger).default(0n, 'the start'))
    .option('--limit <n>', 'how many at most, up to 1000', parseLimit, DEFAULT_LIMIT)
    .option('--json', 'print a JSON array of animals')
    .addHelpText('after', EXAMPLES)
    .action(async ({ name, status, category: categoryId, after: afterId, limit, json }: Options) => {
      const search = { name, status, categoryId, id: undefined, afterId, limit }
      const { pets, hasMore } = await withStore(store => store.searchPets(search))
      if (json) return printJson(pets)
      if (pets.length === 0) return printText('There is no such animal.')
      printTable(
        HEADINGS,
        pets.map(one => [one.id, one.categoryId, one.status, one.name]),
      )
      if (hasMore) printText('', `There are more: add --after ${pets.at(-1)?.id} to see the next page.`)
    })
}

const EXAMPLES = `
There may be another page when this one is as long as --limit: ask for it with
--after and the last id of this one, and else the same options.

Examples:
  $ petstore pet list --name rex
  $ petstore pet list --status available --category 1 --limit 100
  $ petstore pet list --after 20 --json`
