import type { claimKey } from '../domain/administration/claim-key.ts'
import type { KeyTerms } from '../domain/api-key.ts'
import { fileAddress } from '../pages/built-files.ts'
import { escapeHtml } from '../pages/html.ts'

/** What became of a claim, or the state of its link. */
export type Claimed = Awaited<ReturnType<typeof claimKey>>

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

/**
 * Renders the page of a claim link, which also works without scripts.
 * @param baseUrl of the API, with /v1
 */
export async function renderClaimPage(claimed: Claimed, baseUrl: string): Promise<string> {
  const { title, html } = partsOf(claimed, baseUrl)
  const icon = ROOT + (await iconAddress())
  const script =
    claimed.state === 'open' ? `\n<script type="module" src="${ROOT}${await scriptAddress()}"></script>` : ''
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

function partsOf(claimed: Claimed, baseUrl: string): Parts {
  switch (claimed.state) {
    case 'open': {
      const { accountName, terms, expiresAt } = claimed.link
      return {
        title: 'Your API key is ready',
        html: `<p>The key is shown only once, to the first person who presses the button. Have a safe place ready for it, such as a password manager.</p>
${renderFacts({ accountName, ...terms }, baseUrl)}
<form method="post"><button type="submit">Show the API key</button></form>
<p class="hint">This link works until ${time(expiresAt)}.</p>`,
      }
    }
    case 'issued':
      return {
        title: 'Your API key',
        html: `<p class="claim-key"><code class="notranslate" translate="no">${escapeHtml(claimed.issued.key)}</code></p>
<p><strong>Store it now: it is not shown again</strong>, not even if you reload this page. Keep it secret: anyone who has it can make calls in your name.</p>
${renderFacts(claimed.issued, baseUrl)}
<p>To make your first call, read the <a href="${ROOT}docs/guides/quick-start">quick start</a>, or install a <a href="${ROOT}clients/">client</a> for TypeScript or Python. To learn more about keys, read <a href="${ROOT}docs/guides/authentication">authentication</a>.</p>`,
      }
    case 'claimed':
      return {
        title: 'This link has already been used',
        html: `<p>Its key was shown on ${time(claimed.link.claimedAt as number)} and cannot be shown again.</p>
<p>If you do not have the key, contact the person who sent you the link immediately: someone else may have used it before you. They can revoke the key and send you a new link.</p>`,
      }
    case 'expired':
      return {
        title: 'This link has expired',
        html: `<p>It expired on ${time(claimed.link.expiresAt)} and was not used. Ask the person who sent it to you for a new one.</p>`,
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

function renderFacts(key: KeyTerms & { accountName: string }, baseUrl: string): string {
  const { accountName, name, scope, networks, expiresAt } = key
  const facts = [
    ['Account', escapeHtml(accountName)],
    ...(name === undefined ? [] : [['Name of the key', escapeHtml(name)]]),
    ['Base address of the API', `<code>${escapeHtml(baseUrl)}</code>`],
    ['The key may', scope === 'read' ? 'list and read animals' : 'list, read and add animals'],
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
