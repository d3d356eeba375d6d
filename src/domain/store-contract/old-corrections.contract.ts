import assert from 'node:assert/strict'
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

/** Undoing their addition keeps animals that have been corrected since. */
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
}
