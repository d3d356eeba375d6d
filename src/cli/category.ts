import { labelCategory, unlabelCategory } from '../domain/administration/categories.ts'
import { parseSearchText } from '../domain/search-text.ts'
import { categoryUseJson } from '../schema/responses/pets.ts'
import type { Command } from './command.ts'
import { type JsonOption, print } from './output/print.ts'
import { addPageOptions, PAGES_HELP, type PageOptions, showPage } from './pages.ts'
import { withAdminContext } from './with-store.ts'

export function addCategoryCommands(program: Command): void {
  const category = program.newCommand('category', 'Labels of categories, for operators.')

  addPageOptions(category.newCommand('list', 'List categories and their labels.'), 'after', 'categories')
    .option('--label <part>', 'only labels that contain this text, ignoring case and accents', parseSearchText)
    .json('print a JSON array of categories', LIST_HELP)
    .action(async ({ label, ...options }: PageOptions & { label?: string }) => {
      const { after: afterId } = options
      await showPage(options, 'after', (store, { limit }) => store.listCategories({ label, afterId, limit }), {
        toJson: categoryUseJson,
        columns: { ID: one => one.id, LABEL: one => one.label ?? '-', ANIMALS: one => one.animals },
        whenEmpty: 'No category matches.',
      })
    })

  category
    .newCommand('label', 'Give a category a label.')
    .argument('<category-id>', 'id of the category')
    .argument('<label>', 'its new label')
    .json('print the category as JSON', LABEL_HELP)
    .action(async (id: string, label: string, { json }: JsonOption) => {
      const labelled = await withAdminContext(context => labelCategory(context, id, label))
      print(json, labelled, `Category ${labelled.id} is labelled "${labelled.label}".`)
    })

  category
    .newCommand('unlabel', 'Remove the label of a category.')
    .argument('<category-id>', 'id of the category')
    .json('print the category with its former label as JSON', UNLABEL_HELP)
    .action(async (id: string, { json }: JsonOption) => {
      const unlabelled = await withAdminContext(context => unlabelCategory(context, id))
      print(json, unlabelled, `Category ${unlabelled.id} is no longer labelled "${unlabelled.label}".`)
    })
}

const LIST_HELP = `${PAGES_HELP}

Examples:
  $ petstore category list
  $ petstore category list --label dog --json`

const LABEL_HELP = `
An existing label is replaced. Only operators see labels; the public API does
not show them.

Examples:
  $ petstore category label 1 Dogs
  $ petstore category label 2 "Cats and kittens" --json`

const UNLABEL_HELP = `
The animals in the category are not changed.

Examples:
  $ petstore category unlabel 1
  $ petstore category unlabel 1 --json`
