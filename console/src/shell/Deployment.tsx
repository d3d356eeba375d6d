import { useQuery } from '@tanstack/react-query'
import { versionQuery } from '../data/version.ts'

/** Shows, also by colour, whether changes affect production or staging. */
export function Deployment() {
  const { data } = useQuery(versionQuery)
  if (!data) return null
  return (
    <span className="deployment" data-deployment={data.deployment}>
      {data.deployment === 'production' ? 'Production' : 'Staging'}
    </span>
  )
}
