import type { Token, Tokens } from 'marked'
import { escapeHtml } from '../html.ts'
import { highlight } from './highlight.ts'

/** Consecutive samples of the same thing in several languages. */
export interface SampleGroup {
  type: 'samples'
  samples: readonly Tokens.Code[]
}

/** The label of a sample, by the language after its fence. */
const LABELS = new Map([
  ['sh', 'curl'],
  ['ts', 'TypeScript'],
  ['python', 'Python'],
  ['json', 'JSON'],
  ['http', 'HTTP'],
  ['console', 'Terminal'],
  ['text', 'Output'],
])
/** The languages that readers choose from. */
const CHOICES = ['sh', 'ts', 'python']

/** Joins every run of two or more samples in different languages of CHOICES into one group. */
export function groupSamples(blocks: readonly Token[]): (Token | SampleGroup)[] {
  const grouped: (Token | SampleGroup)[] = []
  let run: Tokens.Code[] = []

  function endRun(): void {
    if (run.length > 1) grouped.push({ type: 'samples', samples: run })
    else grouped.push(...run)
    run = []
  }

  for (const block of blocks) {
    const choice = isChoice(block) ? block : undefined
    if (!choice || run.some(sample => languageOf(sample) === languageOf(choice))) endRun()
    if (choice) run.push(choice)
    else grouped.push(block)
  }
  endRun()
  return grouped
}

export function renderSamples({ samples }: SampleGroup): string {
  return `<div class="samples">\n${samples.map(renderSample).join('')}</div>\n`
}

export function renderSample(sample: Tokens.Code): string {
  const language = languageOf(sample)
  const label = LABELS.get(language) ?? 'Text'
  const code = highlight(sample.text, language)
  return `<figure class="sample" data-language="${escapeHtml(language)}"><figcaption>${label}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>\n`
}

function isChoice(block: Token): block is Tokens.Code {
  return block.type === 'code' && CHOICES.includes(languageOf(block as Tokens.Code))
}

function languageOf({ lang = '' }: Tokens.Code): string {
  return lang.split(/\s/, 1)[0] ?? ''
}
