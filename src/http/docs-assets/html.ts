const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as it stands in HTML, between tags or in an attribute's quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => ESCAPES[character] as string)
}
