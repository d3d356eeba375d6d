import { shellQuote } from '../../domain/shell-quote.ts'

/**
 * The words of a command line as bash hands them to a completion function: with their quotes, and divided at each `=`.
 * @returns the words as a program gets them
 */
export function readBashWords(typed: readonly string[]): string[] {
  return joinAtEquals(typed).map(unquote)
}

/** How a value has to be typed, behind what is typed already: the open quote of the last word stays. */
export function quoteForBash(value: string, typedWord: string): string {
  const quote = /^["']/.exec(typedWord)?.[0]
  if (quote === "'") return shellQuote(value)
  // In double quotes, bash would keep a backslash before an exclamation mark, and without one insert a line of its history.
  if (quote === '"') return `"${value.replaceAll(/["\\$`]/g, String.raw`\$&`).replaceAll('!', `"'!'"`)}"`
  return value.replaceAll(/[^\w%+,./\p{L}\p{N}-]/gu, String.raw`\$&`)
}

function joinAtEquals(typed: readonly string[]): string[] {
  const words: string[] = []
  for (const [index, word] of typed.entries()) {
    const isBehindEquals = typed[index - 1] === '=' && /^--[\w-]+=$/.test(words.at(-1) ?? '')
    if (word === '=' && /^--[\w-]+$/.test(words.at(-1) ?? '')) words.push(`${words.pop()}=`)
    else if (isBehindEquals) words.push(`${words.pop()}${word}`)
    else words.push(word)
  }
  return words
}

/** The last word may have a quote that is still open. */
function unquote(word: string): string {
  return word.replaceAll(/'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|\\(.?)/gs, (_, single, double, escaped) => {
    return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped
  })
}
