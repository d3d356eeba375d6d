/** Some lines of a file, verbatim. */
export function Excerpt({ label, children }: { label: string; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="import-example" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}
