import { Screen } from '../../parts/Screen.tsx'
import { DeprecatedUse, TopAccounts, TopKeys } from './Top.tsx'
import { UsageCharts } from './UsageCharts.tsx'
import { UsageFilters } from './UsageFilters.tsx'
import './usage.css'

/** Who calls the public API, how often, and how the calls ended. */
export function UsageScreen() {
  return (
    <Screen
      title="Usage"
      description="Calls of the public API: how many there were, who made them, and how they ended."
    >
      <UsageFilters />
      <UsageCharts />
      <div className="usage-tops">
        <TopAccounts />
        <TopKeys />
      </div>
      <DeprecatedUse />
    </Screen>
  )
}
