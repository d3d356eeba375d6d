/** The path of the console, relative to the root of the operators' listener. */
export const CONSOLE_PATH = '/console'

/** Relative to the same root. The secret of a sign-in link follows the `#`, a part that browsers do not send. */
export const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`

/** The paths of the pages that a service without a built console serves instead. */
export const UNBUILT_CONSOLE_PATHS = [CONSOLE_PATH, SIGN_IN_PATH]
