import { Option } from 'commander'
import { COMMAND } from '../app/command-name.ts'
import { type LabelledPet, labelPet } from '../domain/administration/categories.ts'
import { type PetAfterAction, restorePet } from '../domain/administration/pets.ts'
import { previewUndo, undo } from '../domain/administration/undo.ts'
import { invalid } from '../domain/errors.ts'
import { formatCount } from '../domain/format-number.ts'
import { parseInt64 } from '../domain/int64.ts'
import type { ChangedPet, UndoPreview } from '../domain/pet-undo.ts'
import { describeLabels } from '../domain/undone-label.ts'
import { petJson, undoJson, undoPreviewJson } from '../schema/responses/pets.ts'
import { parseInteger } from './arguments.ts'
import type { Command } from './command.ts'
import { type JsonOption, print } from './output/print.ts'
import { formatList } from './output/table.ts'
import { formatMinute } from './output/text.ts'
import { withAdminContext, withStore } from './with-store.ts'

export function addUndoCommands(pet: Command): void {
  pet
    .newCommand('undo', 'Undo an action on animals: an entry of the audit log.')
    .argument('<entry-id>', 'id of the entry; petstore audit --action pet lists them')
    .option('--dry-run', 'show what would be undone, change nothing')
    .json('print the result as JSON', UNDO_HELP)
    .action(async (entryId: string, { dryRun, json }: UndoOptions) => {
      if (dryRun) {
        const preview = await withStore(store => previewUndo(store, entryId))
        const would = `Would be undone for ${formatCount(preview.undone, 'animal')}.`
        return print(json, undoPreviewJson(preview), would, ...describeLabels(preview.labels), ...formatKept(preview))
      }
      const done = await withAdminContext(context => undo(context, entryId))
      const undone = `Undone for ${formatCount(done.undone, 'animal')}.`
      const labels = describeLabels(done.labels)
      print(json, undoJson(done), undone, ...labels, ...formatKept(done), ...undoHint(done.entryId))
    })

  pet
    .newCommand('restore', 'Return an animal to an earlier state, also after its deletion.')
    .argument('<id>', 'id of the animal')
    .addOption(entryOption('before'))
    .addOption(entryOption('after').conflicts('before'))
    .json('print the animal as JSON', RESTORE_HELP)
    .action(async (id: string, { before, after, json }: RestoreOptions) => {
      const entryId = before ?? after
      if (entryId === undefined) throw invalid('Add --before or --after and the id of an entry.')
      const restored = await withAdminContext(async context => {
        const { store } = context
        const petId = parseInt64(id)
        const found = petId === undefined ? undefined : await store.findPet(petId)
        const side = before === undefined ? 'after' : 'before'
        return labelPet(store, await restorePet(context, id, found, { entryId, side }))
      })
      printChanged(json, restored, `Animal ${restored.id} "${restored.name}" is as it was.`)
    })
}

/** How to undo an action on animals: the last line that it prints for people. */
export function undoHint(entryId: bigint | undefined): string[] {
  return entryId === undefined ? [] : [`Undo it with: ${COMMAND} pet undo ${entryId}`]
}

export function printChanged(json: true | undefined, pet: LabelledPet & PetAfterAction, text: string): void {
  const { entryId } = pet
  print(json, { ...petJson(pet), entryId: entryId ?? null }, text, ...undoHint(entryId))
}

interface UndoOptions extends JsonOption {
  dryRun?: true
}

interface RestoreOptions extends JsonOption {
  before?: bigint
  after?: bigint
}

function entryOption(side: string): Option {
  return new Option(`--${side} <entry-id>`, `the state ${side} this entry of its history`).argParser(parseInteger)
}

/** The animals that stay as they are, and why. */
function formatKept({ kept, changedSince }: UndoPreview): string[] {
  if (kept === 0) return []
  const more = kept > changedSince.length ? [`and ${formatCount(kept - changedSince.length, 'other')}`] : []
  const table = changedSince.length > 0 ? [formatList(changedSince, COLUMNS)] : []
  return ['', `Not undone for ${formatCount(kept, 'animal')}, because of later changes:`, ...table, ...more]
}

const COLUMNS = {
  ANIMAL: ({ petId }: ChangedPet) => petId,
  ENTRY: ({ change }: ChangedPet) => change?.id ?? '-',
  TIME: ({ change }: ChangedPet) => formatMinute(change?.at),
  WHO: ({ change }: ChangedPet) => change?.actor ?? '-',
  ACTION: ({ change }: ChangedPet) => change?.action ?? '-',
}

const UNDO_HELP = `
Undoes what add, correct, delete, correct-many, delete-many, import, sync,
restore or undo has done, or the same in the console. Animals that have not
changed since return to their former state, in one step; deleted ones come back
under their own ids. The others stay as they are, and are listed. A category
that got its label from --new-categories loses it, unless animals still have the
category.

Examples:
  $ petstore pet undo 12 --dry-run
  $ petstore pet undo 12 --json`

const RESTORE_HELP = `
petstore pet history shows the entries of an animal, with its values before and
after each. A deleted animal comes back under its own id.

Examples:
  $ petstore pet restore 3 --before 12
  $ petstore pet restore 3 --after 9 --json`
