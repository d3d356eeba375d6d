import { type Frame, renderFrame } from './frame.ts'
import { ROOT_MARK } from './pages.ts'

/** The page for addresses where nothing is. It leads to what is there. */
export function renderNotFoundPage(frame: Frame): Promise<string> {
  const links = frame.links.map(([path, label]) => `<li><a href="${ROOT_MARK}${path}">${label}</a></li>`)
  return renderFrame(frame, {
    root: ROOT_MARK,
    title: 'Page not found',
    description: 'Nothing is at this address.',
    footer: [],
    content: `<main class="not-found" id="content" tabindex="-1">
<p class="status">404</p>
<h1>Page not found</h1>
<p class="summary">Nothing is at this address. Check it for typing errors, search, or start here:</p>
<ul><li><a href="${ROOT_MARK}.">Home</a></li>${links.join('')}</ul>
</main>`,
  })
}
