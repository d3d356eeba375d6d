import { Link } from '@tanstack/react-router'
import { ExportButton } from '../../parts/ExportButton.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ChooseFile } from './ChooseFile.tsx'
import { type DraftStore, useDraft } from './draft.ts'
import { Prepare } from './Prepare.tsx'
import { Result } from './Result.tsx'
import { Running } from './Running.tsx'
import { Steps } from './Steps.tsx'
import '../../parts/panel.css'
import './import.css'

/** Adds or corrects many animals with a file: choose it, check it, import it. */
export function ImportScreen() {
  const store = useDraft()
  return (
    <Screen
      title="Import animals"
      description="Add or correct many animals at once with a file. Nothing changes until you have seen what would happen."
      actions={
        <>
          <Link className="button" to="/animals">
            <Icon name="animals" />
            Show animals
          </Link>
          <ExportButton label="Export all animals" filter={{}} />
        </>
      }
    >
      <Steps draft={store.draft} />
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
