import type { Deployment } from '../domain/deployment.ts'
import { buildSite, type Site } from './site.ts'

/** Shown to programs. */
export const NO_SUCH_PATH = 'This path does not exist; the admin API is described at /docs.'

interface OperatorListener {
  deployment: Deployment
  /** The address of the listener, for samples. */
  url: string
}

/** The pages of the operators' listener: the home page, the guides to the console, and the reference of the admin API. */
export function buildOperatorSite({ deployment, url }: OperatorListener, folder?: URL): Site {
  return buildSite({
    parts: ['operator', `operator-${deployment}`],
    values: { operators: `${url}/` },
    notFoundMessage: NO_SUCH_PATH,
    folder,
  })
}
