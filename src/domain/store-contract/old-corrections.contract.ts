import assert from 'node:assert/strict'
import { adminContext } from '../../../test/support/admin-context.ts'
import { type PastState, restorePet } from '../administration/pets.ts'
import { undo } from '../administration/undo.ts'
import type { Store } from '../store.ts'
import { entry } from './fixtures.contract.ts'

// An audit log from before changes of animals were kept beside it: version 1.1.0 wrote only entries.

/** Of the animals 1 to 4, there is no 2. */
export const OLD_CORRECTIONS = `
  INSERT INTO audit (at, actor, origin, action, subject_id, details) VALUES
    (1, 'ada', 'command line', 'pet.import', NULL, '{"file":"pets.csv","count":3,"firstId":1,"lastId":3}'),
    (2, 'eve', 'command line', 'pet.correct', 1, '{"name":"Rex → Rexy"}'),
    (3, 'eve', 'command line', 'pet.delete', 2, '{"name":"Max","categoryId":7,"status":"sold"}'),
    (4, 'ada', 'command line', 'pet.create', 4, '{"name":"Mia","categoryId":7,"status":"sold"}'),
    (5, 'eve', 'command line', 'pet.correct', 4, '{"name":"Mia → Mimi"}'),
    (6, 'ada', 'command line', 'account.create', 3, '{}');`

/** Undoing their addition keeps animals that have been corrected since. Of the states of an animal, the log has those that were deleted. */
export async function checkOldCorrections(store: Store): Promise<void> {
  const expected = {
    undone: 1,
    kept: 2,
    changedSince: [
      { petId: 1n, change: { id: 2n, at: 2, actor: 'eve', action: 'pet.correct' } },
      { petId: 2n, change: { id: 3n, at: 3, actor: 'eve', action: 'pet.delete' } },
    ],
    labels: [],
  }
  assert.deepEqual(await store.previewUndo(1n), expected)
  assert.deepEqual(await store.undo(1n, entry('pet.undo')), { entryId: 7n, ...expected })
  assert.deepEqual(await store.undo(4n, entry('pet.undo')), { refusal: 'all changed' })
  const { pets } = await store.searchPets({ limit: 10 })
  assert.deepEqual(
    pets.map(({ id }) => id),
    [1n, 4n],
  )
  const max = { name: 'Max', categoryId: 7n, status: 'sold' }
  const [deletion] = await store.listPetHistory({ petId: 2n, limit: 1 })
  assert.deepEqual([deletion?.before, deletion?.after, deletion?.details], [max, undefined, {}])
  const context = adminContext(store, 7)
  const restore = async (petId: string, entryId: bigint, side: PastState['side']) =>
    restorePet(context, petId, await store.findPet(BigInt(petId)), { entryId, side })
  await assert.rejects(restore('2', 3n, 'after'), /: it did not exist\.$/)
  await assert.rejects(restore('1', 1n, 'before'), /: it did not exist\.$/)
  await assert.rejects(
    restore('1', 1n, 'after'),
    /does not have its values\. Choose the state before its next change\.$/,
  )
  await assert.rejects(restore('1', 2n, 'before'), /: the history does not have its values\.$/)
  await assert.rejects(restore('1', 2n, 'after'), /: the history does not have its values\.$/)
  await assert.rejects(undo(context, '3'), /the history of that animal can bring it back\.$/)
  const { entryId: _, ...restored } = await restore('2', 3n, 'before')
  assert.deepEqual(restored, { id: 2n, ...max })
  assert.deepEqual(await store.findPet(2n), restored)
}
