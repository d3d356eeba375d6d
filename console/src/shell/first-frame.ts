import { GROUPS } from './places.ts'
import '../ui/icon.css'
import '../parts/loading.css'
import '../parts/screen.css'
import './frame.css'

/** The frame, with the title of the screen. It needs no other code, and is shown until the console has loaded. */
export const firstFrame = document.createElement('div')
firstFrame.className = 'frame'

export function showFirstFrame(title: string): void {
  firstFrame.innerHTML = `
    <header class="frame-bar"><span class="frame-menu"></span><span class="frame-name">Petstore</span></header>
    <div class="frame-side">${GROUPS.map(group => groupOf(group, title)).join('')}</div>
    <main class="frame-screen">
      <div class="screen">
        <header class="screen-head"><h1>${title}</h1></header>
        <p class="loading" role="status">Loading …</p>
      </div>
    </main>`
  document.body.prepend(firstFrame)
}

/** The links that every operator sees. */
function groupOf({ label, places }: (typeof GROUPS)[number], title: string): string {
  const links = places
    .filter(({ needsAdmin }) => !needsAdmin)
    .map(({ to, name, title: full = name }) => {
      const current = full === title ? ' aria-current="page"' : ''
      return `<li><a class="nav-link" href=".${to}"${current}><svg class="icon"></svg>${name}</a></li>`
    })
  return `<section class="nav-group"><h2>${label}</h2><ul>${links.join('')}</ul></section>`
}
