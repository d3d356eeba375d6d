import { useForm } from 'react-hook-form'
import type { Source } from '../../api/schema.ts'
import { useChangeSource } from '../../data/sources.ts'
import { changedMembers, fieldOf } from '../../lib/forms.ts'
import { SECONDS } from '../../lib/numbers.ts'
import { durationOptions } from '../../lib/options.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Checkbox } from '../../ui/Choices.tsx'
import { Field, Select, TextArea } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { MISSING_OPTIONS } from './words.ts'

const USUAL_PAUSES = [SECONDS.hour, 12 * SECONDS.hour, SECONDS.day, SECONDS.week]

/** Changes how the files of a source are taken over. */
export function SettingsDialog({ source, onClose }: { source: Source; onClose(): void }) {
  const { name, missing, maxRemovals, keyColumn, pauseSeconds, meanings, newCategories } = source
  const change = useChangeSource(name)
  const form = useForm({
    defaultValues: { missing, maxRemovals, keyColumn, pauseSeconds, meanings, newCategories },
  })
  const pauses = pauseSeconds === null ? USUAL_PAUSES : [...new Set([...USUAL_PAUSES, pauseSeconds])]
  return (
    <FormDialog
      title={sentence`Settings of the source “${name}”`}
      action="Save settings"
      form={form}
      onSave={values => change.mutateAsync(changedMembers(values, form.formState.defaultValues))}
      onClose={onClose}
    >
      <Select label="Animals that are missing in a file" options={MISSING_OPTIONS} {...fieldOf(form, 'missing')} />
      <Field
        label="How many animals a file may remove"
        hint="A number such as 20, or a share such as 10%. If it is empty: 10%, or 2 animals if that is more, but never all."
        {...fieldOf(form, 'maxRemovals', TEXT)}
      />
      <Field
        label="Column with the ids"
        hint="If it is empty, a column with a usual name, such as ID or animalID."
        {...fieldOf(form, 'keyColumn', TEXT)}
      />
      <TextArea
        label="What words in the files mean"
        hint="One on each line, such as status:Foster=pending or categoryId:Cats=2."
        spellCheck={false}
        {...fieldOf(form, 'meanings', TEXT)}
      />
      <Checkbox
        label="Label new categories"
        hint="Unknown words in the column of categories get the next free numbers. Otherwise, their lines are bad."
        isChecked={form.watch('newCategories')}
        onCheck={isWanted => form.setValue('newCategories', isWanted, { shouldDirty: true })}
      />
      <Select
        label="A file is expected every"
        hint="If none comes for twice this time, the source is late."
        options={[{ value: '', name: 'As often as the last files' }, ...durationOptions(pauses)]}
        {...fieldOf(form, 'pauseSeconds', NUMBER)}
      />
    </FormDialog>
  )
}

/** An empty field is the default. */
const TEXT = { setValueAs: (value: string | null) => value?.trim() || null }
const NUMBER = { setValueAs: (value: string | number | null) => Number(value) || null }
