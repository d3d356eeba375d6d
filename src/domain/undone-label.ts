/**
 * `removed`: the action had given it. `returned`: the action had taken it away. `used`: the action had given it, but animals still have the category.
 * `changed`: it stays as it is, because it has changed since, or another category now has this label.
 */
export const LABEL_OUTCOMES = ['removed', 'returned', 'used', 'changed'] as const

/** What becomes of the label that an action on animals gave to a category, or took from it. */
export interface UndoneLabel {
  categoryId: bigint
  label: string
  outcome: (typeof LABEL_OUTCOMES)[number]
}

const SHOWN = 10

const TEXTS = {
  removed: 'No longer labelled',
  returned: 'Labelled again',
  used: 'Still labelled, because animals have the category',
  changed: 'Label not undone, because of later changes',
} satisfies Record<UndoneLabel['outcome'], string>

/** What becomes of labels when an action is undone: a sentence for each outcome. */
export function describeLabels(labels: readonly UndoneLabel[]): string[] {
  return LABEL_OUTCOMES.flatMap(outcome => {
    const found = labels.filter(one => one.outcome === outcome)
    if (found.length === 0) return []
    const shown = found.slice(0, SHOWN).map(({ categoryId, label }) => `category ${categoryId} (${label})`)
    const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : ''
    return [`${TEXTS[outcome]}: ${shown.join(', ')}${more}.`]
  })
}
