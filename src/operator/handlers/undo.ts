import { previewUndo as preview, undo } from '../../domain/administration/undo.ts'
import { UndoJson, UndoPreviewJson, undoJson, undoPreviewJson } from '../../schema/responses/pets.ts'
import { Type } from '../../schema/type.ts'
import { staffCreates } from '../creation.ts'
import { abortSignalOf } from '../handler.ts'
import { staff } from '../operation.ts'

const PREVIEW = {
  undone: 36,
  kept: 1,
  changedSince: [
    {
      petId: 7,
      change: { id: 14, at: '2026-03-02T11:00:00.000Z', actor: 'Anna (token 1)', action: 'pet.correct' },
    },
  ],
  labels: [{ categoryId: 8, label: 'Guinea pigs', outcome: 'removed' }],
}

const previewUndo = staff('GET', '/audit/{entryId}/undo', {
  summary: 'Preview undoing an action on animals',
  description: 'Shows what undoing an entry of the audit log would do. Changes nothing.',
  response: UndoPreviewJson,
  errors: ['conflict'],
  examples: { bulk: { id: 12, response: PREVIEW } },
  async handle({ call, context: { store }, id }) {
    return undoPreviewJson(await preview(store, id, abortSignalOf(call)))
  },
})

const undoEntry = staffCreates('POST', '/audit/{entryId}/undo', {
  summary: 'Undo an action on animals',
  description:
    'Undoes an entry of the audit log that added, corrected or deleted animals, one by one, in bulk or from a file: animals that have not changed since return to their former state, in one step. ' +
    'Added animals are deleted, and deleted ones come back under their own ids. The others stay as they are. A category that the entry labelled loses its label, unless that has changed since or animals still have the category. ' +
    'This is itself an entry, and can be undone. If all of its animals have changed since, the entry gets `conflict`.',
  body: Type.Object({}, { description: 'An empty object.' }),
  response: UndoJson,
  errors: ['conflict'],
  examples: { bulk: { id: 12, body: {}, response: { entryId: 15, ...PREVIEW } } },
  create: ({ context, id }) => undo(context, id),
  answer: undoJson,
})

export const UNDO = { previewUndo, undoEntry }
