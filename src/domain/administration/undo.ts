import { conflict } from '../errors.ts'
import { formatNumber } from '../format-number.ts'
import { parseInt64 } from '../int64.ts'
import { MAX_PETS_UNDONE, type Undo, type UndoPreview, type UndoRefusal } from '../pet-undo.ts'
import type { AnimalStore } from '../store/animals.ts'
import { type AdminContext, entryOf, noSuch } from './context.ts'

/** @throws UserError if it cannot be undone */
export async function previewUndo(store: AnimalStore, entryId: string, signal?: AbortSignal): Promise<UndoPreview> {
  return orRefuse(entryId, await store.previewUndo(parseEntryId(entryId), signal))
}

/** @throws UserError if it cannot be undone, or all its animals have changed since */
export async function undo(context: AdminContext, entryId: string): Promise<Undo> {
  return orRefuse(entryId, await context.store.undo(parseEntryId(entryId), entryOf(context, 'pet.undo')))
}

function parseEntryId(text: string): bigint {
  return parseInt64(text) ?? refuse(text, 'unknown')
}

function orRefuse<Done extends object>(entryId: string, outcome: Done | UndoRefusal): Done {
  return 'refusal' in outcome ? refuse(entryId, outcome.refusal) : outcome
}

function refuse(entryId: string, refusal: UndoRefusal['refusal']): never {
  if (refusal === 'unknown') throw noSuch('entry', entryId)
  throw conflict(`Entry ${entryId} cannot be undone: ${REASONS[refusal]}`)
}

const REASONS = {
  'not of animals': 'it did not change animals.',
  'not in history':
    'the history does not have the former values of its animals. It was written by a version that did not keep them. If it deleted an animal, the history of that animal can bring it back.',
  'too many': `it changed more than ${formatNumber(MAX_PETS_UNDONE)} animals.`,
  'all changed': 'all of its animals have changed since.',
} satisfies Record<Exclude<UndoRefusal['refusal'], 'unknown'>, string>
