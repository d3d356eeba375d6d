import { useQuery } from '@tanstack/react-query'
import type { UnknownValue } from '../../api/schema.ts'
import { rememberedQuery } from '../../data/imports.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { formatDate } from '../../lib/time.ts'
import { WordFields } from '../../parts/words/WordFields.tsx'
import { wordOf } from '../../parts/words/words.ts'
import { Button } from '../../ui/Button.tsx'
import { changeDraft, choose, type Draft, wordsQuery } from './draft.ts'
import { carryOut } from './run.ts'

interface ValuesProps {
  draft: Draft
  /** The most frequent first. */
  unknown: readonly UnknownValue[]
}

/** Asks what the words of a file mean that are not known, and checks the file again with the answers. */
export function Values({ draft, unknown }: ValuesProps) {
  const { choices } = draft
  const { data: remembered } = useQuery(rememberedQuery(choices.mode, draft.header ?? []))
  const meaningOf = (word: string) => choices.meanings[word] ?? remembered?.meanings.get(word.toLowerCase()) ?? ''
  const check = () => {
    const shown = Object.fromEntries(unknown.map(one => [wordOf(one), meaningOf(wordOf(one))]))
    const all = { ...choices, meanings: { ...choices.meanings, ...shown } }
    changeDraft(draft.id, { choices: all })
    void carryOut({ ...draft, choices: all }, { ...draft.query, ...wordsQuery(all) }, true)
  }
  const hintOf = (one: UnknownValue) => {
    const count = formatCounted(Number(one.count), 'line')
    const isRemembered = choices.meanings[wordOf(one)] === undefined && meaningOf(wordOf(one)) !== ''
    return remembered && isRemembered ? `${count}, chosen as on ${formatDate(remembered.entry.at)}` : count
  }
  return (
    <section className="panel stack" aria-labelledby="unknown-values">
      <h3 id="unknown-values">What do these values mean?</h3>
      <WordFields
        unknown={unknown}
        meaningOf={meaningOf}
        hintOf={hintOf}
        onChoose={(word, meaning) => choose(draft, { meanings: { ...choices.meanings, [word]: meaning } })}
        newCategories={choices.newCategories}
        onNewCategories={newCategories => choose(draft, { newCategories })}
      />
      {/* What can be imported already has its own main button. */}
      <Button kind={draft.outcome?.totals.outcome === 'refused' ? 'primary' : 'plain'} onClick={check}>
        Check the file again
      </Button>
    </section>
  )
}
