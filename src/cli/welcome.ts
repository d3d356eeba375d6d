import { resolve } from 'node:path'
import { styleText } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { COMMAND } from '../app/command-name.ts'
import type { Deployment } from '../domain/deployment.ts'
import { shellWord } from '../domain/shell-quote.ts'
import { plainLine } from './output/text.ts'

interface Running {
  deployment: Deployment
  /** The address of this process; the public base URL may point to a proxy. */
  url: string
  baseUrl: string
  operatorUrl: string
  /** The folder of the embedded store, if it is in use. */
  dataFolder: string | undefined
  /** Whether commands need the setting to find it. */
  mustBeSet: boolean
  key: string
  keyDays: number
  signInUrl: string
  /** The command that makes the addresses work on the user's own machine, if they are connected by ssh. */
  ssh: string | undefined
}

/** The text that `serve --demo` prints once it runs, safe for a terminal. Its commands work when pasted in the same folder. */
export function formatWelcome(
  { deployment, url, baseUrl, operatorUrl, dataFolder = '', mustBeSet, key, keyDays, signInUrl, ssh }: Running,
  stream: NodeJS.WriteStream,
): string {
  const title = (text: string) => styleText('bold', text, { stream })
  const remark = (text: string) => styleText('dim', text, { stream })
  const command = (text: string) => styleText('cyan', plainLine(text), { stream })
  return `
${title(`Petstore ${manifest.version} is running`)} ${remark(`(${deployment}, with sample data)`)}

  Base URL   ${baseUrl}
  Docs       ${url}/docs
  Operators  ${operatorUrl}/docs${dataFolder === '' ? '' : `\n  Data       ${plainLine(resolve(dataFolder))}`}
  API key    ${key}
             ${remark(`shown only now, works for ${keyDays} days; each start issues a new one`)}
  Sign in    ${signInUrl}
             ${remark(`works once, within 5 minutes; ${COMMAND} console prints another one`)}${ssh === undefined ? '' : `\n             ${remark(`first, on your own machine: ${plainLine(ssh)}`)}`}

${title('Try it')} in another terminal:

  ${mustBeSet ? `${command(`export PETSTORE_DATA=${shellWord(dataFolder)}`)}\n  ` : ''}${command(`export PETSTORE_API_KEY=${key}`)}
  ${command(`curl -H "Authorization: Bearer $PETSTORE_API_KEY" \\`)}
    ${command(`'${url}/v1/pets?limit=3'`)}

${title('Next')} in that terminal:

  Write a program         ${url}/docs/guides/quick-start
  Become an operator      ${command(`${COMMAND} token create "$USER" --role admin`)}
  Give a partner access   ${command(`${COMMAND} account create "Corner Shop" --plan pro`)}
  Add your own animals    ${command(`${COMMAND} pet import animals.csv --dry-run`)}

Ctrl-C stops it.
`
}
