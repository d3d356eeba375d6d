import { useQuery } from '@tanstack/react-query'
import { healthQuery } from '../../data/health.ts'
import { ListError } from '../../parts/ListError.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { DoctorPart } from './DoctorPart.tsx'
import { Parts } from './Parts.tsx'
import { VersionPart } from './VersionPart.tsx'
import './health.css'

/** How the service is doing, which program it is, and what to do about problems. */
export function HealthScreen() {
  const { data, error } = useQuery(healthQuery)
  return (
    <Screen title="Health" description="How this instance is doing. The page renews itself.">
      {error && <ListError error={error} />}
      {data && !error && <Parts health={data} />}
      <DoctorPart />
      <VersionPart />
    </Screen>
  )
}
