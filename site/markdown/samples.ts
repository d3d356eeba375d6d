import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import type { Token, Tokens } from 'marked'
import { escapeHtml } from '../../src/pages/html.ts'

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

highlighter.registerLanguage('sh', bash)
highlighter.registerLanguage('console', bash)
highlighter.registerLanguage('ts', typescript)
highlighter.registerLanguage('python', python)
highlighter.registerLanguage('json', json)
highlighter.registerLanguage('http', http)

/** HTML of code, marked with the classes of code.css; code in an unknown language is only escaped. */
function highlight(code: string, language: string): string {
  if (!highlighter.getLanguage(language)) return escapeHtml(code)
  return highlighter.highlight(code, { language }).value
}
