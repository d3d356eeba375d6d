const { locale } = new Intl.NumberFormat().resolvedOptions()
const { region } = new Intl.Locale(locale).maximize()

/**
 * For dates and numbers: English, like all text of the console, but written as in the region of the browser, such as "29 Nov 2026, 21:05" in Germany.
 * Words, digits and calendars of another language would be in the middle of English sentences.
 */
export const LOCALE = new Intl.Locale('en', region ? { region } : {}).toString()
