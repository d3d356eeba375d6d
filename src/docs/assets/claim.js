// A second press would cancel the response to the first one, which has the key, and get the page of a used link in its place.
const form = document.querySelector('form')
let isSent = false

form.addEventListener('submit', event => {
  if (isSent) event.preventDefault()
  isSent = true
  form.querySelector('button').textContent = 'One moment …'
})
