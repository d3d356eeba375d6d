import { useEffect, useState } from 'react'
import { Field } from '../ui/Field.tsx'

const PAUSE_MS = 250

interface SearchInputProps {
  label: string
  placeholder: string
  /** What the address says. */
  value: string | undefined
  /** Called after a pause in typing. */
  onSearch(text: string): void
}

/** A search as you type. */
export function SearchInput({ label, placeholder, value = '', onSearch }: SearchInputProps) {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  const [sent, setSent] = useState(value)
  if (value !== seen) {
    setSeen(value)
    // Not by this input, but by something such as "Clear filters".
    if (value !== sent) setText(value)
    setSent(value)
  }
  useEffect(() => {
    if (text === sent) return
    const timer = setTimeout(() => {
      setSent(text)
      onSearch(text)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, sent, onSearch])
  return (
    <Field
      label={label}
      isBare
      type="search"
      dir="auto"
      placeholder={placeholder}
      value={text}
      onChange={event => setText(event.target.value)}
    />
  )
}
