import type { Command } from 'commander'
import { findPet } from '../domain/administration/pets.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { withStore } from './with-store.ts'

export function addPetShow(pet: Command): void {
  pet
    .command('show')
    .description('Show one animal.')
    .argument('<id>', 'id of the animal')
    .option('--json', 'print the animal as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (id: string, { json }: { json?: true }) => {
      const found = await withStore(store => findPet(store, id))
      if (json) return printJson(found)
      printText(
        `Id        ${found.id}`,
        `Name      ${found.name}`,
        `Category  ${found.categoryId}`,
        `Status    ${found.status}`,
      )
    })
}

const EXAMPLES = `
Examples:
  $ petstore pet show 3
  $ petstore pet show 3 --json`
