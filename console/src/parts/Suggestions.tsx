interface SuggestionsProps {
  /** That the input names as its `list`. */
  id: string
  texts: readonly string[]
}

/** What the browser offers while one types. */
export function Suggestions({ id, texts }: SuggestionsProps) {
  return (
    <datalist id={id}>
      {texts.map(text => (
        <option key={text} value={text} />
      ))}
    </datalist>
  )
}
