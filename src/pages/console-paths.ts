/** The path of the console, relative to the root of the operators' listener. */
export const CONSOLE_PATH = '/console'

/** Relative to the same root. The secret of a sign-in link follows the `#`, a part that browsers do not send. */
export const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`

/** The script of the page that signs a browser in without the console. */
export const SIGN_IN_SCRIPT = '/docs/sign-in.js'

/** The paths that only a service without a built console serves. */
export const UNBUILT_CONSOLE_PATHS: readonly string[] = [CONSOLE_PATH, SIGN_IN_PATH, SIGN_IN_SCRIPT]
