/** What the fresh page says. */
const NOTICE = 'petstore-notice'
let isLeaving = false

// Registered before any other, so that nothing asks whether to leave.
addEventListener('beforeunload', event => isLeaving && event.stopImmediatePropagation(), { capture: true })

/** Loads the page again: nothing that it knows of an operator stays for the next one. */
export function startFresh(notice?: string): void {
  isLeaving = true
  forgetTab()
  try {
    if (notice) sessionStorage.setItem(NOTICE, notice)
  } catch {}
  location.reload()
}

/** Forgets what the tab keeps of its operator, such as where they were. */
export function forgetTab(): void {
  try {
    sessionStorage.clear()
  } catch {}
}

export function takeNotice(): string | undefined {
  try {
    const notice = sessionStorage.getItem(NOTICE) ?? undefined
    sessionStorage.removeItem(NOTICE)
    return notice
  } catch {
    return undefined
  }
}
