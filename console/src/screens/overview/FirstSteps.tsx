import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { anyAccountQuery, petTotalsQuery } from '../../data/overview.ts'
import { useIsAdmin } from '../../data/session.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Icon } from '../../ui/Icon.tsx'

/** The first steps in a new service. The panel disappears when all are done. */
export function FirstSteps() {
  const isAdmin = useIsAdmin()
  const { data: animals } = useQuery(petTotalsQuery)
  const { data: accounts } = useQuery(anyAccountQuery)
  if (!animals || !accounts) return null
  const hasAnimals = animals.total > 0
  const hasAccounts = accounts.rows.length > 0
  if (hasAnimals && hasAccounts) return null
  return (
    <Panel title="First steps">
      <p>Petstore publishes your animals to the apps and websites of your partners. Setting it up takes two steps.</p>
      <ol className="steps">
        <Step title="Add your animals" isDone={hasAnimals} to="/import" action="Import a file">
          Import them from a spreadsheet. You can also add and correct individual animals at any time.
        </Step>
        <Step
          title="Give a partner access"
          isDone={hasAccounts}
          to={isAdmin ? '/accounts' : undefined}
          action="Create an account"
        >
          {isAdmin
            ? 'Create an account for each partner, and a key for their app.'
            : 'An admin creates an account and a key for each partner.'}
        </Step>
      </ol>
    </Panel>
  )
}

interface StepProps {
  title: string
  isDone: boolean
  to: '/import' | '/accounts' | undefined
  action: string
  children: string
}

function Step({ title, isDone, to, action, children }: StepProps) {
  return (
    <li className="step" data-done={isDone}>
      <h3>
        {isDone && <Icon name="check" />}
        {title}
        {isDone && <span className="visually-hidden"> (done)</span>}
      </h3>
      <p>{children}</p>
      {!isDone && to && (
        <Link className="button" to={to}>
          {action}
        </Link>
      )}
    </li>
  )
}
