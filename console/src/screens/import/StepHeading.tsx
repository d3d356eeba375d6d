/** The current step. It takes the focus, because the previous step's button is gone. */
export function StepHeading({ children }: { children: string }) {
  return (
    <h2 className="import-heading" tabIndex={-1} ref={focus}>
      {children}
    </h2>
  )
}

function focus(element: HTMLElement | null): void {
  element?.focus()
}
