import assert from 'node:assert/strict'
import type { Store } from '../store.ts'

// The history of a store from before deleted animals were listed.

/** Of its animals, only 1 exists. */
export const OLD_DELETIONS = `
  INSERT INTO audit (at, actor, origin, action, details) VALUES
    (1, 'ada', '192.0.2.7', 'pet.delete-many', '{}'), (2, 'ada', '192.0.2.7', 'pet.undo', '{}'),
    (3, 'eve', '192.0.2.7', 'pet.delete', '{}'), (4, 'ada', '192.0.2.7', 'pet.correct', '{}');
  INSERT INTO pet_change (pet_id, audit_id, old_name, old_category_id, old_status, new_name, new_category_id, new_status) VALUES
    (1, 1, 'Rex', 7, 'sold', NULL, NULL, NULL), (1, 2, NULL, NULL, NULL, 'Rex', 7, 'sold'),
    (2, 1, 'Max', 7, 'sold', NULL, NULL, NULL), (2, 2, NULL, NULL, NULL, 'Max', 7, 'sold'), (2, 3, 'Moritz', 7, 'sold', NULL, NULL, NULL),
    (3, 1, 'Tom', 9, 'pending', NULL, NULL, NULL),
    (4, 4, 'Mia', 7, 'sold', 'Mimi', 7, 'sold');`

/** An animal that is gone, but not by an entry, is not listed. */
export async function checkOldDeletions(store: Store): Promise<void> {
  assert.deepEqual((await store.searchDeletedPets({ limit: 10 })).pets, [
    { id: 2n, name: 'Moritz', categoryId: 7n, status: 'sold', entryId: 3n, deletedAt: 3, deletedBy: 'eve' },
    { id: 3n, name: 'Tom', categoryId: 9n, status: 'pending', entryId: 1n, deletedAt: 1, deletedBy: 'ada' },
  ])
}
