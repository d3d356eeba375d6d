import { type BarLink, renderBar } from './bar.ts'
import { fileRoute } from './file-route.ts'
import { escapeHtml } from './html.ts'

interface Page {
  /** The way to the service's root, such as `../`. */
  root: string
  title: string
  description: string
  /** Links of the bar, the one among them that the page belongs to, and HTML of what else stands in it. */
  links: readonly BarLink[]
  current: string
  tools?: string
  /** Addresses of its styles, from the service's root. */
  styles: readonly string[]
  /** HTML of its scripts. */
  scripts: string
  /** HTML of what stands below the bar; the element with the id `content` is what the reader came for. */
  content: string
}

const ICON = fileRoute('icon.svg', new URL('icon.svg', import.meta.url))
const BAR_STYLE = fileRoute('bar.css', new URL('bar.css', import.meta.url))
/** The files that every page loads. */
export const FRAME_FILES = [ICON, BAR_STYLE]

/** A page of the documentation. Its addresses are relative: the service may stand below a path. */
export async function renderFrame(page: Page): Promise<string> {
  const { root, links, current, tools } = page
  const icon = root + (await ICON.loadAddress())
  const styles = [await BAR_STYLE.loadAddress(), ...page.styles]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.description)}">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
${styles.map(style => `<link rel="stylesheet" href="${root}${style}">`).join('\n')}
${page.scripts}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${renderBar({ root, icon, links, current, tools })}
${page.content}
</body>
</html>
`
}
