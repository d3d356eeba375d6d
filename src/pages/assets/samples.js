// Turns samples in several languages into tabs and adds copy buttons. Remembers the reader's language.

const REMEMBERED = 'petstore-language'
const COPIED_MILLISECONDS = 2000

const announcement = document.createElement('p')
announcement.className = 'announcement'
announcement.role = 'status'
document.body.append(announcement)

const groups = [...document.querySelectorAll('.samples')].map(buildTabs)
const remembered = recall()
if (remembered) showEverywhere(remembered)

for (const sample of document.querySelectorAll('.sample')) {
  if (!sample.closest('.samples')) addCopyButton(sample.querySelector('figcaption'), () => sample)
}

/** Turns a group of samples into tab panels and shows the first. */
function buildTabs(group, groupIndex) {
  const panels = [...group.querySelectorAll('.sample')]
  const list = document.createElement('div')
  list.role = 'tablist'
  list.ariaLabel = 'Language'
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.role = 'tab'
    tab.id = `tab-${groupIndex}-${index}`
    const caption = panel.querySelector('figcaption')
    tab.textContent = caption.textContent
    caption.remove()
    panel.id = `panel-${groupIndex}-${index}`
    panel.role = 'tabpanel'
    tab.setAttribute('aria-controls', panel.id)
    panel.setAttribute('aria-labelledby', tab.id)
    tab.addEventListener('click', () => choose(panel.dataset.language, tab))
    return tab
  })
  list.append(...tabs)
  list.addEventListener('keydown', event => moveAlong(event, tabs))

  const bar = document.createElement('div')
  bar.className = 'sample-bar'
  bar.append(list)
  addCopyButton(bar, () => panels.find(panel => !panel.hidden))
  group.prepend(bar)
  group.classList.add('with-tabs')

  const built = { panels, tabs }
  show(built, panels[0].dataset.language)
  return built
}

function show({ panels, tabs }, language) {
  const chosen = panels.findIndex(panel => panel.dataset.language === language)
  if (chosen < 0) return
  panels.forEach((panel, index) => {
    panel.hidden = index !== chosen
    tabs[index].ariaSelected = String(index === chosen)
    tabs[index].tabIndex = index === chosen ? 0 : -1
  })
}

function showEverywhere(language) {
  for (const group of groups) show(group, language)
}

/** Shows a language in all groups of the page without moving the chosen tab on the screen. */
function choose(language, tab) {
  const before = tab.getBoundingClientRect().top
  showEverywhere(language)
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
  remember(language)
}

function moveAlong(event, tabs) {
  const current = tabs.indexOf(event.target)
  const targets = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: -1 }
  if (!Object.hasOwn(targets, event.key)) return
  event.preventDefault()
  const tab = tabs.at(targets[event.key] % tabs.length)
  tab.focus()
  tab.click()
}

function addCopyButton(bar, findSample) {
  // Without TLS, browsers offer the clipboard only on localhost.
  if (!navigator.clipboard) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const said = await copy(findSample().querySelector('code').textContent)
    button.textContent = said
    announcement.textContent = said
    setTimeout(() => {
      button.textContent = 'Copy'
      announcement.textContent = ''
    }, COPIED_MILLISECONDS)
  })
  bar.append(button)
}

/** Returns the label for the result. The browser or the reader may deny access to the clipboard. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  } catch {
    return 'Not copied'
  }
}

/** If storage is blocked, readers choose again on each page. */
function recall() {
  try {
    return localStorage.getItem(REMEMBERED)
  } catch {
    return null
  }
}

function remember(language) {
  try {
    localStorage.setItem(REMEMBERED, language)
  } catch {}
}
