// Signs the browser in with the link that was opened or, without one, with a token. Scripts cannot read the session cookie.

const SESSION = new URL('../admin/v1/session', import.meta.url)

const outcome = document.querySelector('.outcome')
const form = document.querySelector('form')
const signedIn = document.querySelector('.sign-in > .send')
let csrfToken = ''

form.addEventListener('submit', event => {
  event.preventDefault()
  const { token } = form.elements
  signIn({ token: token.value.trim() })
  token.value = ''
})
signedIn.querySelector('button').addEventListener('click', signOut)
addEventListener('hashchange', start)
start()

function start() {
  const link = location.hash.slice(1)
  if (link === '') {
    show('', form)
    return
  }
  // Keeps the secret out of the browser history and of bookmarks.
  history.replaceState(null, '', location.pathname)
  signIn({ link })
}

async function signIn(credentials) {
  show('Signing in…')
  const headers = { 'Content-Type': 'application/json' }
  await call(
    { method: 'POST', headers, body: JSON.stringify(credentials) },
    ({ operator, expiresAt, csrfToken: own }) => {
      csrfToken = own
      const until = new Date(expiresAt).toLocaleString()
      show(`You are signed in as ${operator.name} (${operator.role}) until ${until}.`, signedIn)
    },
  )
}

async function signOut() {
  await call({ method: 'DELETE', headers: { 'X-CSRF-Token': csrfToken } }, () => show('You are signed out.', form))
}

async function call(options, onSuccess) {
  try {
    const response = await fetch(SESSION, options)
    const answer = response.status === 204 ? {} : await response.json()
    if (response.ok) onSuccess(answer)
    else show(answer.message, form)
  } catch {
    show('The service does not respond. Try again.', form)
  }
}

/** @param below the element to show below the text: the form, or the links for signed-in users; none if omitted */
function show(text, below) {
  outcome.textContent = text
  form.hidden = below !== form
  signedIn.hidden = below !== signedIn
}
