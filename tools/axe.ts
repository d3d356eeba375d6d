import axe from 'axe-core'

/** A script that checks a page for violations of accessibility rules. The page runs it. */
export const AXE = axe.source
