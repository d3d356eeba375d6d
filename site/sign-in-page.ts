import { SIGN_IN_PATH } from '../src/pages/console-paths.ts'
import { rootFrom } from '../src/pages/paths.ts'
import { type Frame, renderFrame } from './frame.ts'

/** Renders the page that signs a browser in with a link or a token. Its script is sign-in.js. */
export function renderSignInPage(frame: Frame): string {
  const root = rootFrom(SIGN_IN_PATH)
  return renderFrame(frame, {
    root,
    title: 'Sign in',
    description: 'Sign in as an operator.',
    footer: [],
    script: 'sign-in.js',
    content: `<main class="sign-in" id="content" tabindex="-1">
<h1>Sign in</h1>
<noscript><p>Your browser must run JavaScript to sign you in.</p></noscript>
<p class="summary outcome" role="status"></p>
<form hidden>
<label class="fields"><span>Operator token</span><input type="password" name="token" required autocomplete="off" spellcheck="false"></label>
<p class="send"><button>Sign in</button></p>
<p class="hint">No token? Run <code>petstore console</code> on the machine of the service: it prints a link that signs you in once.</p>
</form>
<p class="send" hidden><button type="button" class="sign-out">Sign out</button><a href="${root}docs">Admin API reference</a></p>
</main>`,
  })
}
