// A second click would cancel the response to the first one, which has the key, and load the page of a used link instead.
const form = document.querySelector('form')
let isSent = false

form.addEventListener('submit', event => {
  if (isSent) event.preventDefault()
  isSent = true
  form.querySelector('button').textContent = 'One moment …'
})
