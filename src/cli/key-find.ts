import { text } from 'node:stream/consumers'
import { COMMAND } from '../app/command-name.ts'
import { type FoundSecret, findSecret } from '../domain/administration/find-secret.ts'
import type { Deployment } from '../domain/deployment.ts'
import { SECRET_NAMES } from '../domain/secret-forms.ts'
import { foundSecretJson } from '../schema/responses/keys.ts'
import { fieldsOfLink } from './claim-link.ts'
import type { Command } from './command.ts'
import { askFor } from './confirm.ts'
import { fieldsOfKey } from './output/access-columns.ts'
import { type JsonOption, print } from './output/print.ts'
import { formatFields } from './output/table.ts'
import { formatMinute } from './output/text.ts'
import { withStore } from './with-store.ts'

export function addFindCommand(key: Command): void {
  key
    .newCommand('find', 'Find out whose a key is, such as one that has leaked.')
    .json('print what was found as JSON', HELP)
    .action(async ({ json }: JsonOption) => {
      const given = process.stdin.isTTY
        ? await askFor('Paste the key, token or link (it is not shown): ', { isSecret: true })
        : await text(process.stdin)
      const now = Date.now()
      await withStore(async (store, { deployment }) => {
        const found = await findSecret({ store, deployment, now }, given)
        print(json, foundSecretJson(found, now), ...describe(found, deployment, now))
      })
    })
}

function describe({ kind, state, key, claimLink, token, endsAt }: FoundSecret, own: Deployment, now: number): string[] {
  const what = kind === undefined ? 'part of a key, token or link' : SECRET_NAMES[kind]
  if (state === 'mistyped') return [`This is ${what}, but it has a typing error, or a part is missing.`]
  if (state === 'other-deployment') {
    return [`This is ${what} of ${own === 'production' ? 'staging' : 'production'}. This is the store of ${own}.`]
  }
  const which = `This is ${what}.`
  if (key) {
    const fields = formatFields(fieldsOfKey(key, now))
    const replace = `To give its owner a new one: ${COMMAND} claim-link create ${key.accountId}`
    return [which, fields, ...(state === 'active' ? ['', `To end it: ${COMMAND} key revoke ${key.id}`, replace] : [])]
  }
  if (claimLink) {
    const end = state === 'open' ? ['', `To end it: ${COMMAND} claim-link revoke ${claimLink.id}`] : []
    return [which, formatFields(fieldsOfLink(claimLink, now)), ...end]
  }
  if (!token) return [`${which} It was deleted, has ended, or never existed.`]
  const fields = {
    Token: `${token.id} of "${token.name}" (${token.role})`,
    State: state,
    Created: formatMinute(token.createdAt),
    Expires: formatMinute(endsAt ?? token.expiresAt),
  }
  return [
    which,
    formatFields(fields),
    ...(state === 'active' ? ['', `To end it: ${COMMAND} token revoke ${token.id}`] : []),
  ]
}

const HELP = `
Reads the key from standard input, or asks for it on a terminal without showing
it: never type a key into the command itself, which the shell remembers. Shows
the account that owns it, its state, and when and from where it last called.
Operator tokens, sessions, claim links and sign-in links are found, too. Nothing
of what you enter is logged or kept.

Examples:
  $ petstore key find
  $ petstore key find <leaked.txt
  $ petstore key find --json <leaked.txt`
