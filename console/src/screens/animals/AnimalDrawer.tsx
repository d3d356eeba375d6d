import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import { isGone } from '../../api/call.ts'
import type { AuditAction, Pet, PetEvent } from '../../api/schema.ts'
import { animalQuery, historyQuery } from '../../data/animals.ts'
import { useRestore } from '../../data/undo.ts'
import { changedMembers } from '../../lib/forms.ts'
import { useIsGone } from '../../lib/use-is-gone.ts'
import { Differences } from '../../parts/animal-changes.tsx'
import { focusRow } from '../../parts/DataTable.tsx'
import { Form } from '../../parts/FormDialog.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { TimeText } from '../../parts/times.tsx'
import { isTyping } from '../../shortcuts/listen.ts'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Button } from '../../ui/Button.tsx'
import { Beside, DialogContent, DialogFrame } from '../../ui/Dialog.tsx'
import { sentence } from '../../ui/sentence.ts'
import { Notice } from '../../ui/states.tsx'
import { addToast } from '../../ui/toasts.ts'
import { AnimalFields, type AnimalValues, changeOf, valuesOf } from './AnimalFields.tsx'
import { DeleteAnimalDialog } from './DeleteAnimalDialog.tsx'
import { drafts, keepDraft } from './drafts.ts'
import { type Correct, reportUnchanged } from './use-correction.ts'
import type { Steps } from './use-steps.ts'

interface AnimalDrawerProps {
  id: string
  /** The animal as it is in the list, if it is there. */
  row: Pet | undefined
  isBeside: boolean
  /** Changes when the operator goes to the animal by keyboard. */
  entered: object | undefined
  steps: Steps
  correct: Correct
  onClose(): void
}

/** One animal with its members and its history: beside the list if there is room, otherwise over it. */
export function AnimalDrawer({ id, row, isBeside, entered, steps, correct, onClose }: AnimalDrawerProps) {
  const { data, error } = useQuery({ ...animalQuery(id), placeholderData: () => row })
  const animal = error ? undefined : data
  const isDeleted = isGone(error)
  useEffect(() => {
    if (!isDeleted) return
    // Unsaved changes can no longer be saved. The id is from the address, and may be no number.
    for (const one of drafts.keys()) if (String(one) === id) drafts.delete(one)
  }, [isDeleted, id])
  const leave = () => {
    onClose()
    requestAnimationFrame(() => focusRow(id))
  }
  useShortcut({ keys: 'Escape', name: 'Close the animal', run: leave }, isBeside)
  const content = animal ? (
    <AnimalDetails key={id} animal={animal} correct={correct} onClose={leave} />
  ) : (
    <DialogContent>
      {!error && <Loading />}
      {isDeleted && (
        <>
          <p>This animal does not exist. If it was deleted, its history shows who deleted it.</p>
          <AnimalHistory id={id} />
        </>
      )}
      {error && !isDeleted && <ListError error={error} />}
    </DialogContent>
  )
  const frame = {
    title: <span dir="auto">{animal?.name ?? `Animal ${id}`}</span>,
    tools: <StepButtons {...steps} name={animal?.name} />,
    onClose: leave,
    onKey({ key, target, nativeEvent }: KeyboardEvent<HTMLElement>) {
      if (nativeEvent.isComposing) return
      if (key === 'Escape' && isBeside) leave()
      if (isTyping({ target })) return
      if (key === 'j') steps.onStep(1)
      if (key === 'k') steps.onStep(-1)
    },
    children: content,
  }
  return isBeside ? <Beside {...frame} entered={entered} /> : <DialogFrame {...frame} isDrawer />
}

function StepButtons({ canStep, onStep, place, name }: Steps & { name: string | undefined }) {
  return (
    <div className="stepping">
      {STEPS.map(({ step, action, letter }) => (
        <Button
          key={step}
          kind="quiet"
          icon="chevron"
          aria-label={action}
          title={`${action} (${letter})`}
          // It keeps the focus.
          aria-disabled={!canStep(step)}
          onClick={() => onStep(step)}
        />
      ))}
      <span className="muted number" role="status">
        <span className="visually-hidden">{name}</span> {place}
      </span>
    </div>
  )
}

const STEPS = [
  { step: -1, action: 'Previous animal', letter: 'K' },
  { step: 1, action: 'Next animal', letter: 'J' },
]

function AnimalDetails({ animal, correct, onClose }: { animal: Pet; correct: Correct; onClose(): void }) {
  const formId = useId()
  const { id } = animal
  const [draft] = useState(drafts.get(id))
  // The version that the operator began to change. A change by someone else is noticed when saving.
  const [base, setBase] = useState(draft?.base ?? animal)
  const form = useForm<AnimalValues>({
    defaultValues: valuesOf(base),
    ...(draft && { values: draft.values, resetOptions: { keepDefaultValues: true } }),
  })
  const { isDirty, isSubmitting } = form.formState
  const [isLeaving, setIsLeaving] = useState(false)
  const isOver = useIsGone()
  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => keepDraft(id, base, values) }),
    [id, form, base],
  )

  /** @param typed values that are not saved yet */
  const show = (shown: Pet, typed: Partial<AnimalValues> = {}) => {
    const values = { ...valuesOf(shown), ...typed }
    setBase(shown)
    form.reset(valuesOf(shown))
    form.reset(values, { keepDefaultValues: true })
    keepDraft(id, shown, values)
  }
  if (!isDirty && !drafts.has(id) && base.etag !== animal.etag) show(animal)

  async function save(values: AnimalValues) {
    const change = changedMembers(values, valuesOf(base), changeOf)
    if (Object.keys(change).length === 0) return onClose()
    const outcome = await correct({ animal: base, change }).catch(error => {
      if (isOver.current) reportUnchanged(base, error)
      throw error
    })
    if (!outcome) return
    // The operator may have typed more while it was being saved.
    show(outcome.animal, changedMembers(form.getValues(), values))
    if (outcome.isSaved) addToast({ title: sentence`${outcome.animal.name} was saved` })
  }

  return (
    <DialogContent
      actions={
        <>
          <Button icon="trash" className="drawer-delete is-danger" onClick={() => setIsLeaving(true)}>
            Delete
          </Button>
          {isDirty && <Button onClick={() => show(animal)}>Discard</Button>}
          <Button kind="primary" isMain type="submit" form={formId} isBusy={isSubmitting}>
            Save
          </Button>
        </>
      }
    >
      <p className="muted">Number {String(animal.id)}</p>
      <Form id={formId} form={form} onSave={save}>
        {isDirty && base.etag !== animal.etag && (
          <Notice tone="change">
            This animal has changed since you began. When you save, you can choose which version to keep.
          </Notice>
        )}
        <AnimalFields />
      </Form>
      {animal.origin && (
        <p className="muted">
          From the source{' '}
          <Link to="/sources" search={{ open: animal.origin.source }}>
            {animal.origin.source}
          </Link>
          , where its id is <bdi>{animal.origin.externalId}</bdi>.
        </p>
      )}
      <AnimalHistory id={String(animal.id)} />
      {isLeaving && <DeleteAnimalDialog animal={animal} onClose={() => setIsLeaving(false)} onDeleted={onClose} />}
    </DialogContent>
  )
}

/** The operator actions on an animal, newest first. */
function AnimalHistory({ id }: { id: string }) {
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage } = useInfiniteQuery(historyQuery(id))
  const events = data?.pages.flatMap(({ value }) => value)
  return (
    <section className="history stack">
      <h3>History</h3>
      {error && <p className="field-error">{error.message}</p>}
      {!events && !error && <Loading />}
      {events?.length === 0 && <p className="muted">No operator has changed this animal since it was added.</p>}
      <ol>
        {events?.map(event => (
          <li key={String(event.id)} className="history-entry">
            <p>
              <strong>{ACTIONS[event.action] ?? event.action}</strong> by <bdi>{event.actor}</bdi>
              <span className="muted">
                {' · '}
                <TimeText at={event.at} />
              </span>
            </p>
            <Differences {...event} />
            <RestoreButtons id={id} event={event} />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show earlier changes
        </Button>
      )}
      {events && events.length > 0 && (
        <Link to="/audit" search={{ subjectKind: 'pet', subjectId: id }}>
          Show it in the audit log
        </Link>
      )}
    </section>
  )
}

const ACTIONS: Partial<Record<AuditAction, string>> = {
  'pet.create': 'Added',
  'pet.correct': 'Corrected',
  'pet.delete': 'Deleted',
  'pet.correct-many': 'Corrected in bulk',
  'pet.delete-many': 'Deleted in bulk',
  'pet.import': 'Imported',
  'pet.update': 'Corrected from a file',
  'pet.sync': 'Synced with a feed',
  'pet.undo': 'Changed by undoing',
  'pet.restore': 'Returned to an earlier state',
}

/** Returns the animal to its state before an event. Deletions have the last state of the animal, and are the reason to bring it back. */
function RestoreButtons({ id, event }: { id: string; event: PetEvent }) {
  const restore = useRestore()
  if (!event.before) return null
  const name = event.after ? 'Return to the state before' : 'Bring it back'
  async function run() {
    const { name } = await restore.mutateAsync({ petId: id, entryId: event.id })
    addToast({ title: sentence`${name} is as it was` })
  }
  return (
    <>
      <Button isBusy={restore.isPending} onClick={() => run().catch(() => {})}>
        {name}
      </Button>
      {restore.error && <p className="field-error">{restore.error.message}</p>}
    </>
  )
}
