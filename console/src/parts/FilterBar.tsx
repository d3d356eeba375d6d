import { type ReactNode, useId, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import './filter-bar.css'

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
  return (
    <search className="filter-bar" aria-label={label}>
      {main}
      {children && (
        <>
          <Button
            className="filter-toggle"
            aria-expanded={isOpen}
            aria-controls={moreId}
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name="filter" />
            Filters
          </Button>
          <div id={moreId} className="filter-more" data-open={isOpen}>
            {children}
          </div>
        </>
      )}
      {isSet && (
        <Button kind="quiet" className="filter-clear" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  )
}
