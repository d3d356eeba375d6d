import { Lexer, type Token, type Tokens, walkTokens } from 'marked'
import { groupSamples } from '../../site/markdown/samples.ts'

/** The languages in which samples are run, by the info string of the fence. Guides have them in this order: our clients first. */
export const LANGUAGES = ['ts', 'python', 'sh'] as const
export type Language = (typeof LANGUAGES)[number]

/** A piece of code in a document, for readers to copy. */
export interface Sample {
  /** The document that contains it. */
  file: string
  /** Its file and line. */
  place: string
  language: Language
  code: string
  /** The heading above it. */
  heading: string
  /** The output that the document shows; undefined if it shows none. */
  answer: Answer | undefined
}

export interface Answer {
  language: (typeof ANSWERS)[number]
  text: string
}

/** All code of a document: its samples, and code that cannot be run, such as an installation. */
export interface Code {
  samples: Sample[]
  /** File and first line of each. */
  others: string[]
  /** The same for code inside lists and quotations, which is not searched for samples. */
  nested: string[]
}

const ANSWERS = ['json', 'http', 'text'] as const

/** Reads the code of a Markdown document. An output belongs to the group of samples right before it on the page. */
export function readCode(file: string, markdown: string): Code {
  const tokens = Lexer.lex(markdown)
  const lines = linesOf(tokens)
  const code: Code = { samples: [], others: [], nested: nestedCodeOf(tokens).map(other) }
  let heading = ''
  let above: Sample[] = []
  for (const block of groupSamples(tokens.filter(({ type }) => type !== 'space'))) {
    if (isHeading(block)) heading = block.text
    const answered = above
    above = (block.type === 'samples' ? block.samples : [block]).filter(isCode).flatMap(readSample)
    code.samples.push(...above)
    if (!isCode(block) || above.length > 0) continue
    const answer = answerOf(block)
    for (const sample of answered) sample.answer = answer
    if (answered.length === 0 || !answer) code.others.push(other(block))
  }
  return code

  function readSample(token: Tokens.Code): Sample[] {
    const { lang: language, text } = token
    if (!isLanguage(language)) return []
    return [{ file, place: `${file}:${lines.get(token)}`, language, code: `${text}\n`, heading, answer: undefined }]
  }

  function other({ text }: Tokens.Code): string {
    return `${file}: ${text.split('\n', 1)}`
  }
}

function linesOf(tokens: readonly Token[]): Map<object, number> {
  let line = 1
  return new Map(
    tokens.map(token => {
      const begin = line
      line += token.raw.split('\n').length - 1
      return [token, begin]
    }),
  )
}

function nestedCodeOf(tokens: Token[]): Tokens.Code[] {
  const all: Token[] = []
  walkTokens(tokens, token => void all.push(token))
  return all.filter(isCode).filter(token => !tokens.includes(token))
}

function isHeading(block: { type: string }): block is Tokens.Heading {
  return block.type === 'heading'
}

function isCode(block: { type: string }): block is Tokens.Code {
  return block.type === 'code'
}

function isLanguage(word: string | undefined): word is Language {
  return LANGUAGES.some(language => language === word)
}

function answerOf({ lang, text }: Tokens.Code): Answer | undefined {
  const language = ANSWERS.find(known => known === lang)
  return language && { language, text }
}
