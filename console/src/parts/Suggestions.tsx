interface SuggestionsProps {
  /** The `list` of the input refers to it. */
  id: string
  texts: readonly string[]
}

/** Suggestions that the browser offers while the operator types. */
export function Suggestions({ id, texts }: SuggestionsProps) {
  return (
    <datalist id={id}>
      {texts.map(text => (
        <option key={text} value={text} />
      ))}
    </datalist>
  )
}
