import { Lexer, type Token, type Tokens } from 'marked'

/** The languages in which samples are run, by the word behind the fence. */
export const LANGUAGES = ['sh', 'ts', 'python'] as const
export type Language = (typeof LANGUAGES)[number]

/** A piece of code that stands in a text for readers to copy. */
export interface Sample {
  /** The file and line at which it stands. */
  place: string
  language: Language
  code: string
  /** The heading above it. */
  heading: string
  /** What the text says that it prints; undefined if it says nothing. */
  answer: Answer | undefined
}

export interface Answer {
  language: (typeof ANSWERS)[number]
  text: string
}

/** All code of a text: its samples, and what cannot be run, such as an installation. */
export interface Code {
  samples: Sample[]
  /** File and first line of each. */
  others: string[]
}

const ANSWERS = ['json', 'http', 'text'] as const

/** Reads the code of a Markdown text. An answer belongs to all samples that stand right before it, with nothing between. */
export function readCode(file: string, markdown: string): Code {
  const samples: Sample[] = []
  const others: string[] = []
  let line = 1
  let heading = ''
  let group: Sample[] = []
  for (const token of Lexer.lex(markdown)) {
    const place = `${file}:${line}`
    line += token.raw.split('\n').length - 1
    if (token.type === 'space') continue
    if (token.type === 'heading') heading = token.text
    if (!isCode(token)) {
      group = []
    } else if (isLanguage(token.lang)) {
      const sample = { place, language: token.lang, code: `${token.text}\n`, heading, answer: undefined }
      group.push(sample)
      samples.push(sample)
    } else {
      const answer = answerOf(token)
      for (const sample of group) sample.answer = answer
      if (group.length === 0 || !answer) others.push(`${file}: ${token.text.split('\n', 1)}`)
      group = []
    }
  }
  return { samples, others }
}

function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code'
}

function isLanguage(word: string | undefined): word is Language {
  return LANGUAGES.some(language => language === word)
}

function answerOf({ lang, text }: Tokens.Code): Answer | undefined {
  const language = ANSWERS.find(known => known === lang)
  return language && { language, text }
}
