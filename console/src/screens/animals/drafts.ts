import { useState } from 'react'
import type { Pet } from '../../api/schema.ts'
import { watchUnsaved } from '../../lib/unsaved.ts'
import { type AnimalFormState, type AnimalValues, valuesOf } from './animal-values.ts'

/** Unsaved changes to animals. They outlive the drawer and the end of a session. */
const drafts = new Map<bigint, { base: Pet; values: AnimalValues }>()

watchUnsaved({ isThere: () => drafts.size > 0, isKept: true })

/** The operator's unsaved changes to an animal. */
export function useDraft(animal: Pet) {
  const [draft] = useState(() => {
    const { id } = animal
    const found = drafts.get(id)
    return {
      base: found?.base ?? animal,
      restore(form: AnimalFormState): void {
        for (const [member, value] of Object.entries(found?.values ?? {})) {
          form.setValue(member as keyof AnimalValues, value, { shouldDirty: true })
        }
      },
      keep(base: Pet, values: AnimalValues): void {
        if (JSON.stringify(values) === JSON.stringify(valuesOf(base))) drafts.delete(id)
        else drafts.set(id, { base, values })
      },
      forget: () => void drafts.delete(id),
    }
  })
  return draft
}
