import type { LabelledPet } from '../../domain/administration/categories.ts'
import type { SelectionPreview } from '../../domain/administration/selected-pets.ts'
import type { Pet as Animal } from '../../domain/pet.ts'
import type { PetEvent } from '../../domain/pet-history.ts'
import { MAX_PETS_CHANGED, PREVIEW_SAMPLE_SIZE } from '../../domain/pet-selection.ts'
import { MAX_CHANGED_SHOWN } from '../../domain/pet-undo.ts'
import type { PetCounts } from '../../domain/store/animals.ts'
import { LABEL_OUTCOMES } from '../../domain/undone-label.ts'
import { etagOf, withoutETag } from '../etag.ts'
import { count, id, named, nullable, object, oneOf, text, time } from '../fields.ts'
import { formatPet } from '../format-pet.ts'
import { Pet } from '../pet-schemas.ts'
import { Type } from '../type.ts'
import { writeJson, writerOf } from '../write-json.ts'
import { AuditActionName, ENTRY_OF_ACTION, petState, values } from './audit.ts'

const categoryLabel = nullable(text('The label of its category.'))

const labelledPet = {
  ...Pet.properties,
  categoryLabel,
  origin: nullable(
    object('The source that has added it.', {
      source: text('The name of the source.'),
      externalId: text('The id of the animal there.'),
    }),
  ),
}

export const PetJson = named('Pet', 'An animal of the catalogue, as operators see it.', {
  ...labelledPet,
  etag: text('The version of the animal, for `If-Match`. A new label does not change it.'),
})

export const DeletedPetJson = named('DeletedPet', 'A deleted animal, as it was last.', {
  ...labelledPet,
  deletedAt: time('When it was deleted.'),
  deletedBy: text('Who deleted it.'),
  entryId: id('Identifier of the deletion in the audit log. Restore the animal to its state before this entry.'),
})

export const PetTotalsJson = named('PetTotals', 'The number of animals by status.', {
  total: count('All animals.'),
  available: count('Animals with the status `available`.'),
  pending: count('Animals with the status `pending`.'),
  sold: count('Animals with the status `sold`.'),
})

export const PetPreviewJson = named('PetPreview', 'The animals that a change to many animals would affect.', {
  count: count('How many animals are selected.'),
  version: nullable(
    text(
      `Send it with the change, which is refused if the selected animals are no longer the same. Null if they cannot be changed: more than ${MAX_PETS_CHANGED} are selected, or some of the ids do not exist.`,
    ),
  ),
  sample: Type.Array(PetJson, { description: `The first ${PREVIEW_SAMPLE_SIZE} of them, in ascending order of id.` }),
  missingIds: Type.Array(id('An id.'), { description: 'The given ids that do not exist.' }),
})

const ownEntryId = nullable(id(ENTRY_OF_ACTION))

export const ChangedPetsJson = named('ChangedPets', 'The result of a change to many animals.', {
  changed: count('How many animals were changed, not counting those that already had the new values.'),
  entryId: ownEntryId,
})

export const DeletedPetsJson = named('DeletedPets', 'The result of a deletion of many animals.', {
  deleted: count('How many animals were deleted.'),
  entryId: ownEntryId,
})

const undoMembers = {
  undone: count('How many animals return to their former state: added ones are deleted, deleted ones come back.'),
  kept: count('How many animals stay as they are, because they have changed since.'),
  changedSince: Type.Array(
    object('An animal that has changed since.', {
      petId: id('Its id.'),
      change: nullable(
        object('The latest action on it. Null if another program changed it.', {
          id: id('Identifier of the entry in the audit log.'),
          at: time('When it was done.'),
          actor: text('Who did it.'),
          action: AuditActionName,
        }),
      ),
    }),
    { description: `The first ${MAX_CHANGED_SHOWN} of these, in ascending order of id.` },
  ),
  labels: Type.Array(
    object('The label of a category.', {
      categoryId: id('The category.'),
      label: text('The label that the action gave it, or took from it.'),
      outcome: oneOf(
        LABEL_OUTCOMES,
        '`used`: it stays, because animals still have the category. `changed`: the category keeps what it has, because that was changed since, or because another category has this label now.',
      ),
    }),
    { description: 'What becomes of the labels that an import gave to new categories.' },
  ),
}

export const UndoPreviewJson = named('UndoPreview', 'What undoing an action on animals would do.', undoMembers)

export const UndoJson = named('Undo', 'What undoing an action on animals has done.', {
  entryId: id('Identifier of its own entry in the audit log, which can be undone in turn.'),
  ...undoMembers,
})

export const PetEventJson = named('PetEvent', 'An action of an operator on an animal.', {
  id: id('Identifier of the entry in the audit log; later entries have higher ids.'),
  at: time('When it was done.'),
  actor: text('Who did it.'),
  tokenId: nullable(id('The operator token that was used; null on the command line.')),
  origin: text('Where it came from: an address, or `command line`.'),
  action: AuditActionName,
  before: petState('The animal before the action. Null if it was created.'),
  after: petState('The animal after the action. Null if it was deleted, and for imports.'),
  details: values('Additional details. Older entries have the values of the animal here.'),
})

export const CategoryJson = named('Category', 'A category with a label. The public API shows only its id.', {
  id: id('The `categoryId` of its animals.'),
  label: text('Its label.'),
})

export const CategoryUseJson = named('CategoryUse', 'A category that has a label or animals.', {
  id: id('The `categoryId` of its animals.'),
  label: nullable(text('Its label.')),
  animals: count('How many animals are in it.'),
})

export const deletedPetJson = writerOf(DeletedPetJson)
export const undoPreviewJson = writerOf(UndoPreviewJson)
export const undoJson = writerOf(UndoJson)
export const categoryUseJson = writerOf(CategoryUseJson)

export function taggedPetJson(pet: LabelledPet) {
  return writeJson(PetJson, tagged(pet))
}

export const petJson = (pet: LabelledPet) => withoutETag(taggedPetJson(pet))

function tagged(pet: LabelledPet) {
  return { ...pet, etag: petEtag(pet) }
}

/** The version of an animal, for `If-Match`. */
export function petEtag(pet: Animal): string {
  return etagOf(formatPet(pet))
}

export function petTotalsJson(counts: PetCounts) {
  return writeJson(PetTotalsJson, { total: counts.available + counts.pending + counts.sold, ...counts })
}

export function petPreviewJson({ sample, ...preview }: SelectionPreview) {
  return writeJson(PetPreviewJson, { ...preview, sample: sample.map(tagged) })
}

export function petEventJson({ accountId: _, subjectId: __, ...event }: PetEvent) {
  return writeJson(PetEventJson, event)
}
