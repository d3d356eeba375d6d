import { type Command, Option } from 'commander'
import { correctPet, findPet } from '../domain/administration/pets.ts'
import { Mistake } from '../domain/errors.ts'
import { PET_STATUSES } from '../domain/pet.ts'
import { parseInteger } from './arguments.ts'
import { printJson } from './json.ts'
import { checkPet, type PetOptions, petMembers } from './pet-options.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addPetCorrect(pet: Command): void {
  pet
    .command('correct')
    .description("Change an animal's name, category or status.")
    .argument('<id>', 'id of the animal')
    .option('--name <name>', 'its new name')
    .option('--category <n>', 'its new category, a whole number', parseInteger)
    .addOption(new Option('--status <status>', 'how it stands').choices(PET_STATUSES))
    .option('--json', 'print the animal as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (id: string, { json, ...options }: PetOptions & { json?: true }) => {
      const change = petMembers(options)
      if (Object.keys(change).length === 0) {
        throw new Mistake('invalid', 'Say what to change, with --name, --category or --status.')
      }
      const corrected = await withActing(async acting => {
        const found = await findPet(acting.store, id)
        return correctPet(acting, found, await checkPet({ ...found, ...change }))
      })
      if (json) return printJson(corrected)
      printText(
        `Animal ${corrected.id} is now "${corrected.name}", of category ${corrected.categoryId}, ${corrected.status}.`,
      )
    })
}

const EXAMPLES = `
What was changed, and what it was before, stands in petstore audit.

Examples:
  $ petstore pet correct 3 --status sold
  $ petstore pet correct 3 --name "Señor Bigotes" --category 2 --json`
