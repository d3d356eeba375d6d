/** What is to be done now. It takes the focus, as the button that led here is gone. */
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
