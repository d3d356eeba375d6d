/** Where the console is, below the root of the operators' listener. */
export const CONSOLE_PATH = '/console'

/** Below the same root. What follows its `#` is the secret of a link: browsers send that nowhere. */
export const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`

/** The paths of what a service without a built console serves in its place. */
export const UNBUILT_CONSOLE_PATHS = [CONSOLE_PATH, SIGN_IN_PATH]
