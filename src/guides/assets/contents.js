// The table of headings shows where the reader is: at the last heading that has come into the upper part of the window.

const UPPER_PART = 0.3

const contents = document.querySelector('.contents')
const links = [...document.querySelectorAll('.contents a')]
const headings = links.map(link => document.getElementById(decodeURIComponent(link.hash.slice(1))))
let shown = -1

document.addEventListener('scroll', showPlace, { passive: true })
showPlace()

function showPlace() {
  const line = innerHeight * UPPER_PART
  const current = headings.findLastIndex(heading => heading.getBoundingClientRect().top < line)
  if (current === shown) return
  links[shown]?.removeAttribute('aria-current')
  shown = current
  const link = links[current]
  if (!link) return
  link.setAttribute('aria-current', 'true')
  // A long table has a scroll bar of its own.
  contents.scrollTo({ top: link.offsetTop - contents.clientHeight / 2 })
}
