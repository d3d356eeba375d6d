import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form'

/** An input of a form, with the message of the service about it. */
export function fieldOf<Values extends FieldValues>(form: UseFormReturn<Values>, name: Path<Values>) {
  return { ...form.register(name), error: errorOf(form, name) }
}

/** The same for a choice that is more than one input. */
export function choiceOf<Values extends FieldValues, Name extends Path<Values>>(
  form: UseFormReturn<Values>,
  name: Name,
) {
  return {
    value: form.watch(name),
    onChoose: (value: PathValue<Values, Name>) => form.setValue(name, value),
    error: errorOf(form, name),
  }
}

function errorOf<Values extends FieldValues>({ formState: { errors } }: UseFormReturn<Values>, name: Path<Values>) {
  return errors[name]?.message as string | undefined
}
