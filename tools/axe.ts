import axe from 'axe-core'

/** The script that finds violations of accessibility rules, for a page to run. */
export const AXE = axe.source
