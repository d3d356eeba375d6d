import { useQuery } from '@tanstack/react-query'
import {
  type ComponentProps,
  Fragment,
  type ReactNode,
  useEffect,
  useEffectEvent,
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

interface SearchFieldProps {
  label: string
  value: string | undefined
  /** Called when the typing pauses, or immediately by Enter. */
  onChoose(value: string | undefined): void
}

const PAUSE_MS = 250

/** Searches while the operator types. "/" focuses it, and Esc clears it. */
export function SearchField({ label, value = '', onChoose }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState(value)
  const [seen, setSeen] = useState(value)
  const [sent, setSent] = useState(value)
  if (value !== seen) {
    setSeen(value)
    // It was changed elsewhere, such as by "Clear filters" or the browser's back button.
    if (value !== sent) {
      setDraft(value)
      setSent(value)
    }
  }
  const choose = () => {
    const wanted = draft.trim()
    if (wanted === value) return
    setSent(wanted)
    onChoose(wanted || undefined)
  }
  const apply = useEffectEvent(choose)
  useEffect(() => {
    const timer = setTimeout(apply, draft === '' ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [draft])
  useShortcut({ keys: '/', name: label, run: () => input.current?.focus() })
  return (
    <div className="search-field">
      <Icon name="search" />
      <Field
        label={label}
        isBare
        ref={input}
        type="search"
        placeholder={label}
        value={draft}
        onChange={({ target }) => askWhose(target.value) || setDraft(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') choose()
          if (key === 'Escape') setDraft('')
        }}
      />
    </div>
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

/** A filter that is typed. It is not applied while being typed: half a name would match nothing. */
export function FilterField({ value = '', suggestions, onChoose, onDraft, error, ...input }: FilterFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  /** The filter as it was last shown or applied. */
  const known = useRef(value)
  const isDate = input.type === 'date'
  // The applied filter may be changed from elsewhere, such as by "Clear filters". Meanwhile, the operator may be typing another one.
  useEffect(() => {
    if (field.current?.value === known.current) field.current.value = value
    known.current = value
  }, [value])

  function apply(typed: string) {
    known.current = typed
    if (typed.trim() !== value) onChoose(typed.trim())
  }

  function draft(input: HTMLInputElement) {
    const { value: typed } = input
    if (askWhose(typed)) {
      input.value = value
      return
    }
    onDraft?.(typed)
    // A year that is being typed begins with zeros; a date with a part that is being replaced is empty.
    const isChosen = isDate ? typed >= '1000' : typed === '' || suggestions?.includes(typed)
    if (isChosen) apply(typed)
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
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && apply(currentTarget.value)}
      {...input}
    />
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
