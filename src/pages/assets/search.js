// The search over all pages, in a dialog. The index loads when the dialog first opens.

const MOST_RESULTS = 12
const EXCERPT_BEFORE = 40
const EXCERPT_LENGTH = 200
const HINT = 'Search for a word, a header or an error code.'

const button = document.querySelector('.search-button')
const dialog = document.querySelector('.search')
const input = dialog.querySelector('input')
const list = dialog.querySelector('[role=listbox]')
const note = dialog.querySelector('.search-note')

let searchIndex
let loading
let selected = -1

button.hidden = false
button.addEventListener('click', open)
dialog.querySelector('.search-close').addEventListener('click', () => dialog.close())
dialog.addEventListener('click', event => {
  const isOutside = event.target === dialog
  if (isOutside || event.target.closest('a')) dialog.close()
})
input.addEventListener('input', search)
input.addEventListener('keydown', event => {
  const moves = { ArrowDown: 1, ArrowUp: -1 }
  if (event.key in moves && list.children.length > 0) {
    event.preventDefault()
    select((selected + moves[event.key] + list.children.length) % list.children.length)
  } else if (event.key === 'Enter') {
    list.children[selected]?.click()
  }
})
document.addEventListener('keydown', event => {
  const isWriting = event.target.closest('input, textarea, select, [contenteditable]')
  const isSlash = event.key === '/' && !isWriting
  const isCommand = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
  if (dialog.open || !(isSlash || isCommand)) return
  event.preventDefault()
  open()
})

function open() {
  dialog.showModal()
  input.select()
  search()
}

/** Shows the results for the current words, which may have changed while the index was loading. */
async function search() {
  try {
    if (!searchIndex) {
      note.textContent = input.value.trim() ? 'Searching…' : HINT
      await loadIndex()
    }
    const words = input.value.trim()
    show(words ? searchIndex.search(words).slice(0, MOST_RESULTS) : [])
    note.textContent = noteOn(words)
  } catch (error) {
    show([])
    note.textContent = 'The search failed. Please try again.'
    reportError(error)
  }
}

function show(found) {
  list.replaceChildren(...found.map(buildResult))
  input.ariaExpanded = String(found.length > 0)
  select(found.length > 0 ? 0 : -1)
}

function noteOn(words) {
  if (words === '') return HINT
  return list.children.length === 0 ? `No results for “${words}”.` : ''
}

/** If loading fails, the next search tries again. */
async function loadIndex() {
  loading ??= fetchIndex()
  try {
    searchIndex = await loading
  } finally {
    loading = undefined
  }
}

async function fetchIndex() {
  const [{ default: MiniSearch }, answer] = await Promise.all([
    import(new URL(dialog.dataset.engine, document.baseURI)),
    fetch(dialog.dataset.index),
  ])
  if (!answer.ok) throw new Error(`The search index returned ${answer.status}.`)
  const { options, index } = await answer.json()
  const searchOptions = {
    boost: { heading: 4, page: 2 },
    combineWith: 'AND',
    prefix: true,
    // A title that equals the search term is most likely what the reader wants.
    boostDocument: (_, word, { heading, page }) =>
      // Guides explain more than the reference, so the reference ranks lower.
      ((heading || page).toLowerCase() === word ? 4 : 1) * (page === 'Reference' ? 0.6 : 1),
    fuzzy: term => (term.length > 4 ? 0.2 : false),
  }
  return MiniSearch.loadJS(index, { ...options, searchOptions })
}

function buildResult({ href, page, heading, text, terms }, index) {
  const link = document.createElement('a')
  link.role = 'option'
  link.id = `found-${index}`
  link.href = new URL(`../${href}`, import.meta.url).href
  link.tabIndex = -1
  const words = new RegExp(`(${terms.map(escapePattern).join('|')})`, 'iu')
  const title = document.createElement('strong')
  title.append(...markWords(heading ? `${page} › ${heading}` : page, words))
  const excerpt = document.createElement('span')
  excerpt.className = 'excerpt'
  excerpt.append(...markWords(excerptOf(text, words), words))
  link.append(title, excerpt)
  link.addEventListener('pointermove', () => select(index))
  return link
}

function excerptOf(text, words) {
  const start = Math.max(0, text.search(words) - EXCERPT_BEFORE)
  const excerpt = text.slice(start, start + EXCERPT_LENGTH)
  return start > 0 ? `… ${excerpt.slice(excerpt.indexOf(' ') + 1)}` : excerpt
}

/** `RegExp.escape` is too new for some browsers. */
function escapePattern(text) {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** The text with the search terms marked. */
function markWords(text, words) {
  return text.split(words).map((part, index) => {
    if (index % 2 === 0) return part
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
}

function select(index) {
  selected = index
  for (const [position, item] of [...list.children].entries()) item.ariaSelected = String(position === index)
  const item = list.children[index]
  if (!item) return input.removeAttribute('aria-activedescendant')
  input.setAttribute('aria-activedescendant', item.id)
  item.scrollIntoView({ block: 'nearest' })
}
