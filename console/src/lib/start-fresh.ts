let isLeaving = false

// Registered before any other, so that nothing asks whether to leave.
addEventListener('beforeunload', event => isLeaving && event.stopImmediatePropagation(), { capture: true })

/** Loads the page again: nothing that it knows of an operator stays for the next one. */
export function startFresh(): void {
  isLeaving = true
  try {
    sessionStorage.clear()
  } catch {}
  location.reload()
}
