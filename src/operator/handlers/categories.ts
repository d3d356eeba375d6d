import * as categories from '../../domain/administration/categories.ts'
import { CategoryJson, CategoryUseJson, categoryUseJson } from '../../schema/responses/pets.ts'
import { Type } from '../../schema/type.ts'
import { abortSignalOf } from '../handler.ts'
import { staff } from '../operation.ts'
import { idRule, labelOf, limit, searchText } from '../request-fields.ts'

const DOGS = { id: 1, label: 'Dogs' }
const USED = { ...DOGS, animals: 12 }
const UNLABELLED = { id: 2, label: null, animals: 5 }

const listCategories = staff('GET', '/categories', {
  summary: 'List categories',
  description: 'Returns the categories that have a label or animals.',
  query: Type.Object({
    label: searchText('Part of the label; case and accents are ignored.', 'part of a label'),
    after: Type.Optional(Type.BigInt({ description: 'Returns only items with a higher id.', ...idRule })),
    limit,
  }),
  response: Type.Array(CategoryUseJson),
  examples: {
    first: { query: { limit: 20 }, response: [USED, UNLABELLED] },
    byLabel: { query: { label: 'dog', after: 0 }, response: [USED] },
  },
  async handle({ call, context, query: { label, after, limit } }) {
    const wanted = { label, afterId: after, limit: limit + 1 }
    return (await context.store.listCategories(wanted, abortSignalOf(call))).map(categoryUseJson)
  },
})

const labelCategory = staff('PUT', '/categories/{categoryId}', {
  summary: 'Label a category',
  description: 'Sets or changes the label of a category. The public API does not show labels.',
  body: Type.Object({ label: labelOf('A label', 'The label: 1 to 100 characters.') }),
  response: CategoryJson,
  errors: ['invalid_input'],
  examples: { dogs: { id: 1, body: { label: 'Dogs' }, response: DOGS } },
  handle: ({ context, id, body }) => categories.labelCategory(context, id, body.label),
})

const unlabelCategory = staff('DELETE', '/categories/{categoryId}', {
  summary: 'Remove the label of a category',
  description: 'Its animals do not change.',
  examples: { dogs: { id: 1 } },
  async handle({ context, id }) {
    await categories.unlabelCategory(context, id)
  },
})

export const CATEGORIES = { listCategories, labelCategory, unlabelCategory }
