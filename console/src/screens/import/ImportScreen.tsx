import { ExportButton } from '../../parts/ExportButton.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { ChooseFile } from './ChooseFile.tsx'
import { type DraftStore, useDraft } from './draft.ts'
import { Prepare } from './Prepare.tsx'
import { Result } from './Result.tsx'
import { Running } from './Running.tsx'
import './import.css'

/** Adds or corrects many animals by a file: choose it, check it, import it. */
export function ImportScreen() {
  const store = useDraft()
  return (
    <Screen
      title="Import animals"
      description="Add many animals at once, or correct existing ones, from a spreadsheet or another system. Nothing changes until you have seen what would happen."
      actions={<ExportButton label="Export all animals" filter={{}} />}
    >
      <Step store={store} />
    </Screen>
  )
}

function Step({ store }: { store: DraftStore }) {
  const { draft } = store
  if (!draft) return <ChooseFile onChosen={store.replace} />
  if (draft.run) return <Running draft={draft} run={draft.run} />
  if (draft.outcome) return <Result store={store} draft={draft} outcome={draft.outcome} />
  return <Prepare store={store} draft={draft} />
}
