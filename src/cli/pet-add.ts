import { type Command, Option } from 'commander'
import { addPet } from '../domain/administration/pets.ts'
import { PET_STATUSES } from '../domain/pet.ts'
import { parseInteger } from './arguments.ts'
import { printJson } from './json.ts'
import { checkPet, type PetOptions, petMembers } from './pet-options.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addPetAdd(pet: Command): void {
  pet
    .command('add')
    .description('Add an animal to the catalogue.')
    .argument('<name>', 'name of the animal')
    .requiredOption('--category <n>', 'its category, a whole number (required)', parseInteger)
    .addOption(new Option('--status <status>', 'how it stands (default: available)').choices(PET_STATUSES))
    .option('--json', 'print the animal as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { json, ...options }: PetOptions & { json?: true }) => {
      const wish = await checkPet(petMembers({ ...options, name }))
      const added = await withActing(acting => addPet(acting, wish))
      if (json) return printJson(added)
      printText(`Animal ${added.id} is "${added.name}", of category ${added.categoryId}, ${added.status}.`)
    })
}

const EXAMPLES = `
To add many at once, use petstore pet import.

Examples:
  $ petstore pet add Rex --category 1
  $ petstore pet add "Old Blue" --category 1 --status pending --json`
