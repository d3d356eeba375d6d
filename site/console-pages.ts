import { type Frame, renderFrame } from './frame.ts'
import { renderSample } from './markdown/samples.ts'

/** Renders the page that explains how to build the console. */
export function renderUnbuiltConsole(frame: Frame): string {
  return renderFrame(frame, {
    root: '',
    title: 'The console is not built',
    description: 'How to build the console of this service.',
    footer: [],
    content: `<main class="unbuilt" id="content" tabindex="-1">
<h1>The console is not built</h1>
<p class="summary">Everything else works: the API, the <a href="docs">admin API</a> and the command line.</p>
<p>The service runs from a source checkout and found no built console when it started. <code>npm ci</code> and <code>npm start</code> build the
console, and report why if they cannot. If you start the service another way, run these two commands in the checkout, then restart the service:</p>
${renderSample({ lang: 'console', text: 'npm ci\nnpm run build --workspace console' })}<p><code>npm ci --omit=dev</code> does not install the packages that the build needs. Releases and the container image contain the console.</p>
</main>`,
  })
}
