/** Registers functions that release a test's resources: a test context, or `{ after }` of node:test for a whole file. */
export interface Cleanup {
  after(end: () => unknown): void
}

/** Releases resources in reverse order: instances before the store that they work on. */
export function inReverse(t: Cleanup): Cleanup {
  const opened = new AsyncDisposableStack()
  t.after(() => opened.disposeAsync())
  return { after: end => opened.defer(async () => void (await end())) }
}
