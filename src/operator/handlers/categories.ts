import * as categories from '../../domain/administration/categories.ts'
import { categoryUseJson } from '../../schema/operator-json.ts'
import { abortSignalOf, defineHandler, type Request, type WithBody, type WithQuery } from '../handler.ts'
import type { CategoryLabel, CategorySearch } from '../request-schemas.ts'

const DOGS = { id: 1, label: 'Dogs' }
const USED = { ...DOGS, animals: 12 }
const UNLABELLED = { id: 2, label: null, animals: 5 }

export const listCategories = defineHandler({
  id: 'listCategories',
  summary: 'List categories',
  description: 'Returns the categories that have a label or animals.',
  page: 'after',
  examples: {
    first: { query: { limit: 20 }, response: [USED, UNLABELLED] },
    byLabel: { query: { label: 'dog', after: 0 }, response: [USED] },
  },
  async handle({ call, context, query: { label, after, limit } }: WithQuery<typeof CategorySearch>) {
    const wanted = { label, afterId: after, limit: limit + 1 }
    return (await context.store.listCategories(wanted, abortSignalOf(call))).map(categoryUseJson)
  },
})

export const labelCategory = defineHandler({
  id: 'labelCategory',
  summary: 'Label a category',
  description: 'Sets or changes the label of a category. The public API does not show labels.',
  errors: ['invalid_input'],
  examples: { dogs: { id: 1, body: { label: 'Dogs' }, response: DOGS } },
  handle: ({ context, id, body }: WithBody<typeof CategoryLabel>) => categories.labelCategory(context, id, body.label),
})

export const unlabelCategory = defineHandler({
  id: 'unlabelCategory',
  summary: 'Remove the label of a category',
  description: 'Its animals do not change.',
  examples: { dogs: { id: 1 } },
  async handle({ context, id }: Request) {
    await categories.unlabelCategory(context, id)
  },
})
