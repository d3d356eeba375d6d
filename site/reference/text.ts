import { Lexer } from 'marked'
import { type ResolveLink, renderInline } from '../markdown/markdown.ts'

export function renderText(markdown: string): string {
  return renderInline(Lexer.lexInline(markdown), resolveLink)
}

/** Allows links to other sites, to anchors on the page, and to files next to it. The document's links are relative to the root. */
export const resolveLink: ResolveLink = href => (/^(?:https?:\/\/|#|[\w./-]+(?:#|$))/.test(href) ? href : undefined)
