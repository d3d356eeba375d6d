import { useQuery } from '@tanstack/react-query'
import { healthQuery } from '../../data/health.ts'
import { ListError } from '../../parts/ListError.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { DoctorPart } from './DoctorPart.tsx'
import { Parts } from './Parts.tsx'
import { VersionPart } from './VersionPart.tsx'
import './health.css'

/** The state of the service, its version, and what to do about problems. */
export function HealthScreen() {
  const { data, error, dataUpdatedAt } = useQuery(healthQuery)
  return (
    <Screen
      title="Health"
      description="How the service is doing, and what to do about problems. The state is checked every 15 seconds."
    >
      {error && <ListError error={error} />}
      {!data && !error && <Loading />}
      {data && !error && <Parts health={data} checkedAt={dataUpdatedAt} />}
      <DoctorPart />
      <VersionPart />
    </Screen>
  )
}
