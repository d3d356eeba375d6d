/** Browser automation, for tests in a browser. */
export * from 'playwright-core'
