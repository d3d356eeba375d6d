import type { FieldValues, Path, PathValue, RegisterOptions, UseFormReturn } from 'react-hook-form'
import { ApiError } from '../api/call.ts'

/** An input of a form, with the message of the service about it. */
export function fieldOf<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  name: Path<Values>,
  options?: RegisterOptions<Values>,
) {
  return { ...form.register(name, options), error: errorOf(form, name) }
}

/** The same for a choice that is more than one input. */
export function choiceOf<Values extends FieldValues, Name extends Path<Values>>(
  form: UseFormReturn<Values>,
  name: Name,
) {
  return {
    value: form.watch(name),
    onChoose: (value: PathValue<Values, Name>) => form.setValue(name, value, { shouldDirty: true }),
    error: errorOf(form, name),
  }
}

function errorOf<Values extends FieldValues>({ formState: { errors } }: UseFormReturn<Values>, name: Path<Values>) {
  return errors[name]?.message as string | undefined
}

/**
 * The members of a request that were changed in a form. The others stay as they are now: someone else may have changed them since.
 * @param requestOf its members have the names of the fields
 */
export function changedMembers<Values extends object, Wanted extends object = Values>(
  values: Values,
  before: Partial<Values> | undefined,
  requestOf?: (values: Values) => Wanted,
): Partial<Wanted> {
  const isChanged = ([name]: [string, unknown]) => values[name as keyof Values] !== before?.[name as keyof Values]
  return Object.fromEntries(Object.entries(requestOf?.(values) ?? values).filter(isChanged)) as Partial<Wanted>
}

/**
 * Shows each message of the service at its field, and focuses the first such field. Any other message is shown next to the form, as `errors.root`.
 * @param fieldOf maps the service's names to fields with another name
 */
export function showRefusal<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  error: unknown,
  fieldOf: Readonly<Record<string, string>> = {},
): void {
  const messages = new Map<string, string>()
  for (const [member, message] of error instanceof ApiError ? error.members : []) {
    messages.set(fieldOf[member] ?? member, message)
  }
  const wrong = Object.keys(form.getValues()).filter(field => messages.has(field))
  for (const [index, field] of wrong.entries()) {
    form.setError(field as Path<Values>, { message: messages.get(field) ?? '' }, { shouldFocus: index === 0 })
  }
  if (wrong.length === 0) form.setError('root', { message: error instanceof Error ? error.message : String(error) })
}

/**
 * The messages of the refusal of a list, by filter.
 * @param sought the filter by a record, which may not be found
 */
export function filterErrors(error: unknown, sought = 'account'): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map()
  return error.code === 'not_found' ? new Map([[sought, error.message]]) : error.members
}
