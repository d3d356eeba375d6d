import { createElement, Fragment, type ReactNode } from 'react'

/**
 * A sentence with names, such as sentence`Delete “${name}”?`. Each name is isolated: in a right-to-left script, it would otherwise move the quotation
 * marks and what follows.
 */
export function sentence(texts: TemplateStringsArray, ...names: readonly string[]): ReactNode {
  const parts = texts.flatMap((text, at) => [text, at < names.length && createElement('bdi', null, names[at])])
  return createElement(Fragment, null, ...parts)
}
