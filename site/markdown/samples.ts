import type { Token, Tokens } from 'marked'
import { escapeHtml } from '../../src/pages/html.ts'
import { highlight } from './highlight.ts'

/** Code, and the language after its fence. */
export type Sample = Pick<Tokens.Code, 'text' | 'lang'>

/** Consecutive samples that do the same in several languages. */
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
  ['csv', 'File'],
  ['ini', 'Settings'],
  ['nginx', 'nginx'],
])
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

/** Renders the samples of a group. A script turns them into tabs. */
export function renderSamples(samples: readonly Sample[]): string {
  return `<div class="samples">\n${samples.map(sample => renderSample(sample)).join('')}</div>\n`
}

export function renderSample(sample: Sample, caption = LABELS.get(languageOf(sample)) ?? 'Text'): string {
  const language = languageOf(sample)
  const code = highlight(sample.text, language)
  return `<figure class="sample" data-language="${escapeHtml(language)}"><figcaption>${escapeHtml(caption)}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>\n`
}

function isChoice(block: Token): block is Tokens.Code {
  return block.type === 'code' && CHOICES.includes(languageOf(block as Tokens.Code))
}

function languageOf({ lang = '' }: Sample): string {
  return lang.split(/\s/, 1)[0] ?? ''
}
