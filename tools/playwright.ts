/** The browser automation, for the tests in a browser. */
export * from 'playwright-core'
