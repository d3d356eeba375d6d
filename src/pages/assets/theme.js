// The reader's colour theme: system, light or dark. It is remembered, and applied before the page is first shown.

const REMEMBERED = 'petstore-theme'

const page = document.documentElement
apply(recall())
addEventListener('storage', event => event.key === REMEMBERED && apply(recall()))
document.addEventListener('DOMContentLoaded', offer)

function offer() {
  const label = document.querySelector('.theme')
  const choice = label.querySelector('select')
  choice.value = page.dataset.theme ?? 'system'
  choice.addEventListener('change', () => {
    apply(choice.value)
    remember(choice.value)
  })
  label.hidden = false
}

function apply(theme) {
  if (theme === 'light' || theme === 'dark') page.dataset.theme = theme
  else delete page.dataset.theme
}

/** If storage is blocked, readers choose again on each page. */
function recall() {
  try {
    return localStorage.getItem(REMEMBERED)
  } catch {
    return null
  }
}

function remember(theme) {
  try {
    localStorage.setItem(REMEMBERED, theme)
  } catch {}
}
