import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import { escapeHtml } from '../../src/pages/html.ts'

highlighter.registerLanguage('sh', bash)
highlighter.registerLanguage('console', bash)
highlighter.registerLanguage('ts', typescript)
highlighter.registerLanguage('python', python)
highlighter.registerLanguage('json', json)
highlighter.registerLanguage('http', http)

/** HTML of code, marked with the classes of code.css; code in an unknown language is only escaped. */
export function highlight(code: string, language: string): string {
  if (!highlighter.getLanguage(language)) return escapeHtml(code)
  return highlighter.highlight(code, { language }).value
}
