import { fileAddress } from './built-files.ts'
import { escapeHtml } from './html.ts'

/** The content of a claim link's page. Times are Unix milliseconds. */
export type ClaimContent =
  | { state: 'open'; key: KeyToClaim; expiresAt: number }
  | { state: 'issued'; key: KeyToClaim; secret: string }
  | { state: 'claimed'; claimedAt: number }
  | { state: 'expired'; expiresAt: number }
  | { state: 'revoked' | 'suspended' | 'unknown' }

export interface KeyToClaim {
  account: string
  name: string | undefined
  /** Whether it only lists and reads animals. */
  isReadOnly: boolean
  /** The networks from which it may call; undefined if from anywhere. */
  networks: readonly string[] | undefined
  expiresAt: number | undefined
  /** The base address of the API, with /v1. */
  baseUrl: string
}

/** Headers of every response at the address of a link: the page must not be cached, indexed or framed, sends no referrer, and runs no script. */
export const CLAIM_HEADERS = headersWith("default-src 'none'")

/** Headers of the page with the button, which has one script. The page with the key has no scripts, so that none can read the key. */
export const OPEN_CLAIM_HEADERS = headersWith("default-src 'none'", "script-src 'self'")

function headersWith(...sources: readonly string[]): readonly string[] {
  const rest = ["style-src 'self'", "img-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"]
  return [
    ...['Content-Security-Policy', [...sources, ...rest].join('; ')],
    ...['Referrer-Policy', 'no-referrer'],
    ...['Cache-Control', 'no-store'],
    ...['X-Robots-Tag', 'noindex, nofollow, noarchive'],
    ...['Cross-Origin-Opener-Policy', 'same-origin'],
    ...['Cross-Origin-Resource-Policy', 'same-origin'],
  ]
}

/** The path from the page of a link to the root of the service. It is relative, because a proxy may serve the root under a path prefix. */
const ROOT = '../'

const iconAddress = fileAddress('icon.svg')
const scriptAddress = fileAddress('claim.js')
const styleAddress = fileAddress('pages.css')

/** Renders the page of a claim link, which also works without scripts. */
export async function renderClaimPage(content: ClaimContent): Promise<string> {
  const { title, html } = partsOf(content)
  const icon = ROOT + (await iconAddress())
  const script =
    content.state === 'open' ? `\n<script type="module" src="${ROOT}${await scriptAddress()}"></script>` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow, noarchive">
<title>${title} · Petstore API</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${ROOT}${await styleAddress()}">${script}
</head>
<body>
<header class="bar"><a class="bar-name" href="${ROOT}."><img src="${icon}" alt="" width="24" height="24"><span>Petstore</span></a></header>
<main class="claim" id="content">
<h1>${title}</h1>
${html}
</main>
</body>
</html>
`
}

interface Parts {
  title: string
  html: string
}

function partsOf(content: ClaimContent): Parts {
  switch (content.state) {
    case 'open':
      return openParts(content)
    case 'issued':
      return issuedParts(content)
    case 'claimed':
      return {
        title: 'This link has already been used',
        html: `<p>Its key was shown on ${time(content.claimedAt)} and cannot be shown again.</p>
<p>If you do not have the key, contact the person who sent you the link immediately: someone else may have used it before you. They can revoke the key and send you a new link.</p>`,
      }
    case 'expired':
      return {
        title: 'This link has expired',
        html: `<p>It expired on ${time(content.expiresAt)} and was not used. Ask the person who sent it to you for a new one.</p>`,
      }
    case 'revoked':
      return {
        title: 'This link no longer works',
        html: '<p>It was withdrawn before anyone used it. Ask the person who sent it to you for a new one.</p>',
      }
    case 'suspended':
      return {
        title: 'This link cannot be used at the moment',
        html: '<p>It has not been used. Ask the person who sent it to you.</p>',
      }
    case 'unknown':
      return {
        title: 'This link is not valid',
        html: '<p>Check that you opened the complete link, up to its last character. If you did, ask the person who sent it to you for a new one.</p>',
      }
  }
}

function openParts({ key, expiresAt }: Extract<ClaimContent, { state: 'open' }>): Parts {
  return {
    title: 'Your API key is ready',
    html: `<p>The key is shown only once, to the first person who presses the button. Have a safe place ready for it, such as a password manager.</p>
${renderFacts(key)}
<form method="post"><button type="submit">Show the API key</button></form>
<p class="hint">This link works until ${time(expiresAt)}.</p>`,
  }
}

function issuedParts({ key, secret }: Extract<ClaimContent, { state: 'issued' }>): Parts {
  return {
    title: 'Your API key',
    html: `<p class="claim-key"><code class="notranslate" translate="no">${escapeHtml(secret)}</code></p>
<p><strong>Store it now: it is not shown again</strong>, not even if you reload this page. Keep it secret: anyone who has it can make calls in your name.</p>
${renderFacts(key)}
<p>To make your first call, read the <a href="${ROOT}docs/guides/quick-start">quick start</a>; to learn more about keys, <a href="${ROOT}docs/guides/authentication">authentication</a>.</p>`,
  }
}

function renderFacts({ account, name, isReadOnly, networks, expiresAt, baseUrl }: KeyToClaim): string {
  const facts = [
    ['Account', escapeHtml(account)],
    ...(name === undefined ? [] : [['Name of the key', escapeHtml(name)]]),
    ['Base address of the API', `<code>${escapeHtml(baseUrl)}</code>`],
    ['The key may', isReadOnly ? 'list and read animals' : 'list, read and add animals'],
    ...(networks === undefined ? [] : [['It works only from', escapeHtml(networks.join(', '))]]),
    ['It expires', expiresAt === undefined ? 'never' : `on ${time(expiresAt)}`],
  ]
  return `<dl>${facts.map(([term, fact]) => `<dt>${term}</dt><dd>${fact}</dd>`).join('')}</dl>`
}

function time(at: number): string {
  const date = new Date(at)
  const inWords = date.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return `<time datetime="${date.toISOString()}">${inWords} UTC</time>`
}
