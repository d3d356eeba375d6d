/** The path of the console, relative to the root of the operators' listener. */
export const CONSOLE_PATH = '/console'
