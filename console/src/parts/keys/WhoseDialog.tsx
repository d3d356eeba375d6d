import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { SECRET_NAMES } from '../../../../src/domain/secret-forms.ts'
import type { ClaimLink, FoundSecret, Key, Token } from '../../api/schema.ts'
import { findSecret, keyQuery } from '../../data/keys.ts'
import { useIsAdmin } from '../../data/session.ts'
import { pastedSecret } from '../../lib/secrets.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { Notice } from '../../ui/states.tsx'
import { AccountLink } from '../audit.tsx'
import { Facts } from '../Panel.tsx'
import { TimeText } from '../times.tsx'
import { ROLE_NAMES } from '../tokens/roles.ts'
import { LINK_STATES, LinkTime } from './ClaimLinkList.tsx'
import { SCOPE_NAMES } from './columns.tsx'
import { ReplaceKeyDialog, RevokeKeyDialog } from './KeyActions.tsx'
import { KeyFacts } from './KeyDrawer.tsx'

/** As long as the shortest secret: a shorter text is still being typed, or was cut. */
const WHOLE = 36

/** Asks whose a secret is, such as a key that has leaked. A secret that was pasted into a search opens it, and is looked up at once. */
export function WhoseDialog({ text: pasted, onClose }: { text: string; onClose(): void }) {
  const formId = useId()
  const [text, setText] = useState(pasted)
  const find = useMutation({
    mutationFn: findSecret,
    gcTime: 0,
    onSuccess() {
      // The answer does not need it.
      setText('')
      pastedSecret.set('')
    },
  })
  const { mutate } = find
  useEffect(() => {
    if (pasted.length >= WHOLE) mutate(pasted)
  }, [pasted, mutate])

  function submit(event: FormEvent) {
    event.preventDefault()
    if (text.trim() !== '' && !find.isPending) find.mutate(text)
  }

  const found = find.data
  return (
    <Dialog
      onClose={onClose}
      title="Whose is this?"
      description="Finds the owner of a key, token or link that has leaked. What you enter is neither logged nor kept."
      cancel="Close"
      actions={
        <Button kind={found ? 'plain' : 'primary'} isMain type="submit" form={formId} isBusy={find.isPending}>
          Find the owner
        </Button>
      }
    >
      <form id={formId} className="stack" onSubmit={submit} noValidate>
        <Field
          label="Key, token or link"
          type="password"
          // Browsers ignore "off" for passwords, and would offer to store this one.
          autoComplete="one-time-code"
          spellCheck={false}
          hint="Paste all of it, or a text that contains it."
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </form>
      <div role="status" className="stack">
        {find.error && <Notice tone="danger">{find.error.message}</Notice>}
        {found && <Found found={found} />}
      </div>
    </Dialog>
  )
}

function Found({ found: { kind, state, key, claimLink, token, endsAt } }: { found: FoundSecret }): ReactNode {
  const what = kind === null ? 'part of a key, token or link' : SECRET_NAMES[kind]
  if (state === 'mistyped') return <Notice>This is {what}, but it has a typing error, or a part is missing.</Notice>
  if (state === 'other-deployment') {
    return <Notice>This is {what} of the other deployment. Ask there: staging and production share no keys.</Notice>
  }
  if (key) return <FoundKey found={key} />
  if (claimLink) return <FoundLink link={claimLink} />
  if (token) return <FoundToken what={what} state={state} token={token} endsAt={endsAt} />
  return <Notice>This is {what}, but it was deleted, has ended, or never existed.</Notice>
}

function FoundKey({ found }: { found: Key }) {
  // It may be revoked here.
  const { data: apiKey = found } = useQuery({ ...keyQuery(String(found.id)), placeholderData: found })
  const isAdmin = useIsAdmin()
  const [open, setOpen] = useState<'revoke' | 'replace'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <p>{sentence`This is an API key of “${apiKey.account}”.`}</p>
      {apiKey.state === 'active' && !isAdmin && <Notice>Ask an admin to revoke or replace it.</Notice>}
      {((apiKey.state === 'active' && isAdmin) || open) && (
        <div className="row">
          <Button onClick={() => setOpen('replace')}>Replace</Button>
          <Button className="is-danger" onClick={() => setOpen('revoke')}>
            Revoke
          </Button>
        </div>
      )}
      <KeyFacts apiKey={apiKey} />
      {open === 'revoke' && <RevokeKeyDialog apiKey={apiKey} onClose={close} />}
      {open === 'replace' && <ReplaceKeyDialog apiKey={apiKey} onClose={close} />}
    </>
  )
}

function FoundLink({ link }: { link: ClaimLink }) {
  const { account, accountId, name, scope, state, keyId } = link
  return (
    <>
      <p>{sentence`This is a claim link for “${account}”.`}</p>
      <Facts
        facts={{
          Account: <AccountLink id={String(accountId)} name={account} />,
          State: LINK_STATES[state].name,
          Link: <LinkTime link={link} />,
          'Name of the key': <bdi>{name ?? 'unnamed'}</bdi>,
          May: SCOPE_NAMES[scope],
          Key: keyId && (
            <Link to="/keys" search={{ key: String(keyId) }}>
              Key {String(keyId)}
            </Link>
          ),
        }}
      />
      {state === 'open' && <Notice>Revoke it on the account’s page, or under Keys, Open claim links.</Notice>}
    </>
  )
}

interface FoundTokenProps extends Pick<FoundSecret, 'state' | 'endsAt'> {
  what: string
  token: Token
}

function FoundToken({ what, state, token, endsAt }: FoundTokenProps) {
  return (
    <>
      <p>
        This is {what} of <bdi>{token.name}</bdi>.
      </p>
      <Facts
        facts={{
          'Operator token': `${token.id}, ending in ${token.hint}`,
          Role: ROLE_NAMES[token.role],
          State: state.charAt(0).toUpperCase() + state.slice(1),
          Created: <TimeText at={token.createdAt} />,
          Expires: <TimeText at={endsAt ?? token.expiresAt} />,
        }}
      />
      {state === 'active' && (
        <Notice>An admin can revoke the token under Operator tokens. That also ends its sessions.</Notice>
      )}
    </>
  )
}
