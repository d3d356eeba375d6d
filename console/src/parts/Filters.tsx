import { useQuery } from '@tanstack/react-query'
import {
  type ComponentProps,
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { accountNameQuery, accountSuggestionsQuery } from '../data/accounts.ts'
import { isOwnMove } from '../lib/own-move.ts'
import { askWhose } from '../lib/secrets.ts'
import { useShortcut } from '../shortcuts/shortcuts.ts'
import { Button } from '../ui/Button.tsx'
import { Field, Select } from '../ui/Field.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ClearButton, clearings } from './ClearButton.tsx'
import './filter-bar.css'
import './search-field.css'

interface FilterBarProps {
  label: string
  /** Always shown: the search, or the most used filter. */
  main: ReactNode
  /** The other filters. Narrow windows hide them behind a button. */
  children?: ReactNode
  /** Whether there is anything to clear. */
  isSet: boolean
  onClear(): void
}

/** The filters above a list, in one row if there is room. */
export function FilterBar({ label, main, children, isSet, onClear }: FilterBarProps) {
  const moreId = useId()
  const [isOpen, setIsOpen] = useState(false)
  const round = clearings.use()
  return (
    <search className="filter-bar row" aria-label={label}>
      <Fragment key={round}>{main}</Fragment>
      {children && (
        <>
          <Button
            icon="filter"
            className="filter-toggle"
            aria-expanded={isOpen}
            aria-controls={moreId}
            onClick={() => setIsOpen(!isOpen)}
          >
            Filters
          </Button>
          <div key={round} id={moreId} className="filter-more row" data-open={isOpen}>
            {children}
          </div>
        </>
      )}
      {isSet && <ClearButton kind="quiet" className="filter-clear" onClear={onClear} />}
    </search>
  )
}

/** A select above a list. Its first option says what it filters. */
export function FilterSelect({ value = '', ...select }: ComponentProps<typeof Select>) {
  return <Select isBare data-set={value === '' ? undefined : true} value={value} {...select} />
}

interface FilterFieldProps extends Omit<ComponentProps<typeof Field>, 'value' | 'onChange' | 'isBare'> {
  value: string | undefined
  /** Called with Enter, when the field is left or emptied, and when a suggestion or a day is chosen. */
  onChoose(value: string): void
  onDraft?(draft: string): void
}

const PAUSE_MS = 250

/**
 * A filter that is typed. It is not applied while being typed: half a name would match nothing. A search, which finds parts of names, is applied when
 * the typing pauses.
 */
export function FilterField({ value = '', suggestions, onChoose, onDraft, error, ...input }: FilterFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  /** The filter as it was last shown or applied. */
  const known = useRef(value)
  const typed = useRef(value)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isDate = input.type === 'date'
  const isSearch = input.type === 'search'
  // The applied filter may be changed from elsewhere, such as by "Clear filters". Meanwhile, the operator may be typing another one.
  useEffect(() => {
    if (field.current?.value.trim() === known.current && value !== known.current) field.current.value = value
    known.current = value
    typed.current = field.current?.value ?? ''
  }, [value])
  useEffect(() => () => clearTimeout(pause.current), [])

  function apply(text: string) {
    clearTimeout(pause.current)
    known.current = text.trim()
    if (known.current !== value) onChoose(known.current)
  }

  function draft(input: HTMLInputElement) {
    const { value: text } = input
    if (askWhose(text)) {
      input.value = typed.current
      return
    }
    typed.current = text
    onDraft?.(text)
    clearTimeout(pause.current)
    // A year that is being typed begins with zeros; a date with a part that is being replaced is empty.
    const isChosen = isDate ? text >= '1000' : text === '' || suggestions?.includes(text)
    if (isChosen) apply(text)
    else if (isSearch) pause.current = setTimeout(apply, PAUSE_MS, text)
  }

  function press({ key, currentTarget }: KeyboardEvent<HTMLInputElement>) {
    if (key === 'Escape' && isSearch) currentTarget.value = ''
    else if (key !== 'Enter') return
    apply(currentTarget.value)
  }

  return (
    <Field
      ref={field}
      // An empty date does not say which of the two it is.
      isBare={!isDate}
      defaultValue={value}
      data-set={value === '' ? undefined : true}
      suggestions={suggestions}
      error={error}
      onChange={({ target }) => draft(target)}
      onBlur={({ target }) => isOwnMove() && apply(target.value)}
      onKeyDown={press}
      {...input}
    />
  )
}

/** "/" focuses it, and Esc clears it. */
export function SearchField({ label, value, onChoose }: Pick<FilterFieldProps, 'label' | 'value' | 'onChoose'>) {
  const place = useRef<HTMLDivElement>(null)
  useShortcut({ keys: '/', name: label, run: () => place.current?.querySelector('input')?.focus() })
  return (
    <div className="search-field" ref={place}>
      <Icon name="search" />
      <FilterField
        type="search"
        label={label}
        placeholder={label}
        value={value}
        onChoose={onChoose}
        data-set={undefined}
      />
    </div>
  )
}

/**
 * Narrows a list to one account, and suggests names while the operator types. Its value is an id, or the text that was typed: the service reports it if
 * no such account exists.
 */
export function AccountFilter({ value, error, onChoose }: Pick<FilterFieldProps, 'value' | 'error' | 'onChoose'>) {
  const [draft, setDraft] = useState('')
  const { data: name = value } = useQuery(accountNameQuery(value))
  const { data: accounts = [] } = useQuery(accountSuggestionsQuery(draft))
  return (
    <FilterField
      label="Account"
      placeholder="All accounts"
      value={name}
      error={error}
      suggestions={accounts.map(account => account.name)}
      onDraft={setDraft}
      onChoose={text => onChoose(String(accounts.find(account => account.name === text)?.id ?? text))}
    />
  )
}
