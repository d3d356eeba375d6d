import { useQuery } from '@tanstack/react-query'
import { versionQuery } from '../data/version.ts'

/** A colour that shows whether changes are real, or only a trial. */
export function Deployment() {
  const { data } = useQuery(versionQuery)
  if (!data) return null
  return (
    <span className="deployment" data-deployment={data.deployment}>
      {data.deployment === 'production' ? 'Production' : 'Staging'}
    </span>
  )
}
