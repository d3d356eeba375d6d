import { type Config, ConfigError, type Environment, findUnknownSettings, parseConfig, SETTINGS } from '../config.ts'
import type { Finding } from './finding.ts'

const CHECK = 'settings'

/** Whether every setting can be used, and every variable that looks like one is one. */
export function checkSettings(env: Environment): Finding[] {
  const slips = findUnknownSettings(env).map(slip => warning(sentence(slip)))
  try {
    const hints = [...slips, ...missingAddress(parseConfig(env))]
    return hints.length > 0 ? hints : [{ check: CHECK, outcome: 'ok', message: 'Every setting can be used.' }]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const mistakes = error.message.split('\n')
    return [...mistakes.map((message): Finding => ({ check: CHECK, outcome: 'fail', message })), ...slips]
  }
}

function missingAddress({ deployment, publicUrls }: Config): Finding[] {
  if (deployment !== 'production' || publicUrls.production) return []
  const { name } = SETTINGS.productionUrl
  return [warning(`${name} is unset: links in answers lead to the address that the service listens on.`)]
}

function warning(message: string): Finding {
  return { check: CHECK, outcome: 'warn', message }
}

/** A warning about a variable, such as "unknown setting X; did you mean Y?", as a sentence. */
function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1) + (words.endsWith('?') ? '' : '.')
}
