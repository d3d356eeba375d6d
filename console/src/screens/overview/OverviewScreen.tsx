import { Screen } from '../../parts/Screen.tsx'
import { Animals } from './Animals.tsx'
import { Attention } from './Attention.tsx'
import { Calls } from './Calls.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { NewestActions } from './NewestActions.tsx'
import './overview.css'

/** What needs attention, and recent activity. */
export function OverviewScreen() {
  return (
    <Screen title="Overview">
      <FirstSteps />
      <Attention />
      <div className="overview-columns">
        <Calls />
        <Animals />
      </div>
      <NewestActions />
    </Screen>
  )
}
