// Sends calls from the forms of the reference. A key or token is kept only until the page is left.

const ROOT = new URL('..', import.meta.url)

const forms = [...document.querySelectorAll('.console form')]
for (const form of forms) {
  form.querySelector('button').disabled = false
  form.addEventListener('submit', event => {
    event.preventDefault()
    send(form)
  })
  form.elements.credential?.addEventListener('change', event => useEverywhere(event.target.value))
}

// The browser may keep the page in its back/forward cache.
addEventListener('pagehide', () => useEverywhere(''))

function useEverywhere(credential) {
  for (const { elements } of forms) if (elements.credential) elements.credential.value = credential
}

async function send(form) {
  const button = form.querySelector('button')
  const outcome = form.querySelector('.outcome')
  const answer = form.querySelector('.answer')
  button.disabled = true
  answer.hidden = true
  outcome.textContent = 'Sending…'
  let failure = 'Not sent'
  try {
    const { url, options } = requestOf(form)
    failure = 'No response'
    const startedAt = performance.now()
    const response = await fetch(url, options)
    const text = await response.text()
    const milliseconds = Math.round(performance.now() - startedAt)
    outcome.textContent = `${response.status} ${response.statusText} in ${milliseconds} ms`
    const [body, headers] = answer.querySelectorAll('code')
    body.textContent = format(text)
    headers.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    answer.hidden = false
  } catch (error) {
    outcome.textContent = `${failure}: ${error.message}`
  } finally {
    button.disabled = false
  }
}

function requestOf({ elements, dataset }) {
  const { credential, body } = elements
  const given = place => [...elements].filter(field => field.dataset.in === place && field.value !== '')
  for (const { name, value } of given('path')) {
    // It would change the path, possibly to that of another operation.
    if (value === '.' || value === '..') throw new Error(`${name} cannot be "${value}" in an address.`)
  }
  const path = given('path').reduce(
    (filled, { name, value }) => filled.replace(`{${name}}`, encodeURIComponent(value)),
    dataset.path,
  )
  const url = new URL(path, ROOT)
  for (const { name, value } of given('query')) url.searchParams.set(name, value)
  const headers = new Headers(given('header').map(({ name, value }) => [name, value]))
  if (credential) headers.set('Authorization', `Bearer ${credential.value.trim()}`)
  if (body) headers.set('Content-Type', body.dataset.type)
  // Omits cookies, which would also count as credentials.
  const options = { method: dataset.method, headers, body: body?.value, credentials: 'omit', cache: 'no-store' }
  return { url, options }
}

/** Indents JSON. Keeps numbers as they were sent, because JavaScript would round ids above 2⁵³. Browsers without support show the text. */
function format(text) {
  if (!JSON.rawJSON) return text
  try {
    const exact = (_, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value)
    return JSON.stringify(JSON.parse(text, exact), null, 2)
  } catch {
    return text
  }
}
