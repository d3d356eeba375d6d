import { fileRoute } from './file-route.ts'
import { escapeHtml } from './html.ts'

/** A link of the bar: its address, relative to the root of the service, and its label. */
export type BarLink = readonly [path: string, label: string]

interface Page {
  /** The relative path from the page to the root of the service, such as `../../`. */
  root: string
  title: string
  description: string
  /** Links in the bar. */
  links: readonly BarLink[]
  /** The path of the link that this page belongs to. */
  current: string
  /** HTML at the end of the bar. */
  tools?: string
  /** Addresses of its style sheets, relative to the root. */
  styles: readonly string[]
  /** HTML of its scripts. */
  scripts: string
  /** HTML below the bar; the element with the id `content` is the main part. */
  content: string
}

const ICON = fileRoute('icon.svg', new URL('icon.svg', import.meta.url))
const BAR_STYLE = fileRoute('bar.css', new URL('assets/bar.css', import.meta.url))
/** Files that every page loads. */
export const FRAME_FILES = [ICON, BAR_STYLE]

/** A page of the documentation. Its addresses are relative, because a proxy may serve it under a path prefix. */
export async function renderFrame(page: Page): Promise<string> {
  const { root } = page
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
${renderBar(page, icon)}
${page.content}
</body>
</html>
`
}

/** The bar at the top of every page of the documentation. */
function renderBar({ root, links, current, tools = '' }: Page, icon: string): string {
  const items = links.map(([path, label]) => {
    const mark = path === current ? ' aria-current="page"' : ''
    return `<li><a href="${root}${path}"${mark}>${label}</a></li>`
  })
  return `<header class="bar">
  <a class="bar-name" href="${root}${links[0]?.[0]}"><img src="${icon}" alt="" width="24" height="24"><span>Petstore</span></a>
  <nav aria-label="Documentation"><ul>${items.join('')}</ul></nav>
  ${tools}
</header>`
}
