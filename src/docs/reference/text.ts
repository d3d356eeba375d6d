import { Lexer } from 'marked'
import { type ResolveLink, renderInline } from '../markdown/markdown.ts'

/** HTML of a line of Markdown of the document. */
export function renderText(markdown: string): string {
  return renderInline(Lexer.lexInline(markdown), resolveLink)
}

/** Other sites, places on the page, and files beside it: the reference is at the root, as the document expects. */
export const resolveLink: ResolveLink = href => (/^(?:https?:\/\/|#|[\w./-]+(?:#|$))/.test(href) ? href : undefined)
