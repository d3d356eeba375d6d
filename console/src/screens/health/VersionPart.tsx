import { useQuery } from '@tanstack/react-query'
import { versionQuery } from '../../data/version.ts'
import { Panel } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import '../../parts/facts.css'

/** The running program, for bug reports. */
export function VersionPart() {
  const { data } = useQuery(versionQuery)
  if (!data) return null
  const { version, api, node, platform, publicUrl, startedAt, deployment } = data
  return (
    <Panel title="Version">
      <dl className="facts">
        <dt>Petstore</dt>
        <dd>{version}</dd>
        <dt>Public API</dt>
        <dd>{api}</dd>
        <dt>Deployment</dt>
        <dd>{deployment === 'production' ? 'Production' : 'Staging'}</dd>
        <dt>Public address</dt>
        <dd>{publicUrl ?? <span className="muted">not set</span>}</dd>
        <dt>Node.js</dt>
        <dd>{node}</dd>
        <dt>System</dt>
        <dd>{platform}</dd>
        <dt>Started</dt>
        <dd>
          <TimeText at={startedAt} isFull />
        </dd>
      </dl>
    </Panel>
  )
}
