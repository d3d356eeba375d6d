// Marks the current section in the contents: the last heading at or above the position to which a link to it scrolls.

/** In pixels, because positions are rounded. */
const TOLERANCE = 8

const contents = document.querySelector('.contents')
const links = [...document.querySelectorAll('.contents a')]
const headings = links.map(link => document.getElementById(nameIn(link.hash)))
let shown = -1

document.addEventListener('scroll', showPlace, { passive: true })
addEventListener('hashchange', showPlace)
showPlace()

function showPlace() {
  const current = findPlace()
  if (current === shown) return
  links[shown]?.removeAttribute('aria-current')
  shown = current
  const link = links[current]
  if (!link) return
  link.setAttribute('aria-current', 'true')
  // A long list of contents scrolls separately.
  contents.scrollTo({ top: link.offsetTop - contents.clientHeight / 2 })
}

function findPlace() {
  const page = document.documentElement
  const line = Number.parseFloat(getComputedStyle(page).scrollPaddingTop) + TOLERANCE
  const passed = headings.findLastIndex(heading => heading.getBoundingClientRect().top <= line)
  if (scrollY + innerHeight < page.scrollHeight - 1) return passed
  // At the end of the page, the last headings cannot scroll up to that position.
  const target = headings.findIndex(({ id }) => id === nameIn(location.hash))
  return target > passed ? target : headings.length - 1
}

function nameIn(hash) {
  return decodeURIComponent(hash.slice(1))
}
