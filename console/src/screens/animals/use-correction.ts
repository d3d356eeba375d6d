import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isConflict } from '../../api/call.ts'
import type { Pet } from '../../api/schema.ts'
import { type AnimalChange, type Correction, readAnimal, showAnimal, useCorrectAnimal } from '../../data/animals.ts'
import { sentence } from '../../ui/sentence.ts'
import { addFailure } from '../../ui/toasts.ts'

/** The animal after the operator's correction or someone else's; undefined if the operator has not decided. */
export type Correct = (correction: Correction) => Promise<Outcome | undefined>

interface Outcome {
  animal: Pet
  isSaved: boolean
}

export interface Conflict {
  correction: Correction
  /** The animal after the change by someone else, or why it cannot be shown. */
  theirs: Pet | Error
  resolve(outcome: Outcome | undefined): void
}

/** Corrects animals, and asks the operator how to resolve conflicts. */
export function useCorrection() {
  const client = useQueryClient()
  const [conflict, setConflict] = useState<Conflict>()
  const { mutateAsync } = useCorrectAnimal()

  async function attempt(correction: Correction, resolve?: Conflict['resolve']): Promise<Outcome | undefined> {
    try {
      return { animal: await mutateAsync(correction), isSaved: true }
    } catch (error) {
      if (!isConflict(error)) throw error
      const theirs = await readAnimal(correction.animal.id).catch((failure: Error) => failure)
      // The response to an earlier attempt may have been lost.
      if (!(theirs instanceof Error) && isSaved(correction.change, theirs)) {
        showAnimal(client, theirs)
        return { animal: theirs, isSaved: true }
      }
      if (!resolve) return new Promise(decide => setConflict({ correction, theirs, resolve: decide }))
      setConflict({ correction, theirs, resolve })
      return undefined
    }
  }

  function settle(outcome?: Outcome) {
    setConflict(undefined)
    conflict?.resolve(outcome)
  }

  const correct: Correct = correction => attempt(correction)
  return {
    correct,
    conflict,
    leave: () => settle(),
    takeTheirs(animal: Pet) {
      showAnimal(client, animal)
      settle({ animal, isSaved: false })
    },
    /** Corrects the current version of the animal. Someone else may be faster once more. */
    async keepMine(animal: Pet) {
      if (!conflict) return
      const outcome = await attempt({ ...conflict.correction, animal }, conflict.resolve)
      if (outcome) settle(outcome)
    },
  }
}

function isSaved(change: AnimalChange, animal: Pet): boolean {
  return Object.entries(change).every(
    ([member, value]) => String(animal[member as keyof AnimalChange]) === String(value),
  )
}

/** Reports a correction that failed after its field was closed. */
export function reportUnchanged(animal: Pet, error: Error): void {
  addFailure(sentence`${animal.name} was not changed`, error)
}
