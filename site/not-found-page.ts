import { ROOT_MARK } from '../src/pages/paths.ts'
import { type Frame, renderFrame } from './frame.ts'

/** Renders the page for unknown addresses. It links to the main pages. */
export function renderNotFoundPage(frame: Frame): string {
  const links = frame.links.map(([path, label]) => `<li><a href="${ROOT_MARK}${path}">${label}</a></li>`)
  return renderFrame(frame, {
    root: ROOT_MARK,
    title: 'Page not found',
    description: 'There is no page at this address.',
    footer: [],
    content: `<main class="not-found" id="content" tabindex="-1">
<p class="status">404</p>
<h1>Page not found</h1>
<p class="summary">There is no page at this address. Check it for typos, use the search, or start here:</p>
<ul><li><a href="${ROOT_MARK}.">Home</a></li>${links.join('')}</ul>
</main>`,
  })
}
