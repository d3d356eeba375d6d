import { shellQuote } from '../../domain/shell-quote.ts'

/**
 * Converts the words of a command line from the form in which bash passes them to a completion function: with their quotes, and split
 * at each `=`.
 * @returns the words as a program receives them
 */
export function readBashWords(typed: readonly string[]): string[] {
  return joinAtEquals(typed).map(unquote)
}

/** Quotes a value so that it completes the word typed so far: an open quote in that word stays open. */
export function quoteForBash(value: string, typedWord: string): string {
  const quote = /^["']/.exec(typedWord)?.[0]
  if (quote === "'") return shellQuote(value)
  // In double quotes, bash expands an exclamation mark to a line of its history, and a backslash before it is kept.
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

/** The last word may have an open quote. */
function unquote(word: string): string {
  return word.replaceAll(/'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|\\(.?)/gs, (_, single, double, escaped) => {
    return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped
  })
}
