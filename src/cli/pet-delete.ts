import type { Command } from 'commander'
import { deletePet, findPet } from '../domain/administration/pets.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addPetDelete(pet: Command): void {
  pet
    .command('delete')
    .description('Delete an animal from the catalogue.')
    .argument('<id>', 'id of the animal')
    .option('--json', 'print the animal that was deleted as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (id: string, { json }: { json?: true }) => {
      const deleted = await withActing(async acting => {
        const found = await findPet(acting.store, id)
        await deletePet(acting, found)
        return found
      })
      if (json) return printJson(deleted)
      printText(`Animal ${deleted.id} "${deleted.name}" is deleted.`)
    })
}

const EXAMPLES = `
Its id is never used again. What it was stands in petstore audit.

Examples:
  $ petstore pet delete 3
  $ petstore pet delete 3 --json`
