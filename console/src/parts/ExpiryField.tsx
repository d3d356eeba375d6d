import { SECONDS } from '../lib/numbers.ts'
import { durationOptions } from '../lib/options.ts'
import { type Expiry, formatTime, instantOf } from '../lib/time.ts'
import { useZone } from '../lib/use-preferences.ts'
import { Field, Select } from '../ui/Field.tsx'

interface ExpiryFieldProps {
  label: string
  value: Expiry
  onChoose(expiry: Expiry): void
  error?: string | undefined
}

const OPTIONS = [
  { value: 'never', name: 'Never' },
  ...durationOptions([SECONDS.week, SECONDS.month, SECONDS.quarter, SECONDS.year]),
  { value: 'date', name: 'On a date …' },
]

/** When something expires. The day ends in the time zone that the console shows: that of the browser, or UTC. */
export function ExpiryField({ label, value, onChoose, error }: ExpiryFieldProps) {
  const [zone] = useZone()
  const isDate = value.after === 'date'
  const at = instantOf(value, Date.now())
  return (
    <>
      <Select
        label={label}
        options={OPTIONS}
        value={value.after}
        onChoose={after => onChoose({ ...value, after })}
        error={isDate ? undefined : error}
        // Not yet a day.
        hint={at?.endsWith('Z') && `It expires on ${formatTime(at, zone)}${zone === 'utc' ? ' UTC' : ''}.`}
      />
      {isDate && (
        <Field
          label="Last day"
          type="date"
          max="9999-12-31"
          required
          value={value.date}
          onChange={event => onChoose({ ...value, date: event.target.value, zone })}
          error={error}
        />
      )}
    </>
  )
}
