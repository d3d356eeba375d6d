import { DEPLOYMENTS } from '../../domain/deployment.ts'
import { API_VERSION } from '../api-version.ts'
import { named, nullable, object, oneOf, text, time } from '../fields.ts'
import { type Static, Type } from '../type.ts'

const VersionsJson = object('The versions of the program.', {
  version: text('Version of Petstore.'),
  commit: nullable(text('Commit of the sources. It ends in `-dirty` if files differ from it; null if it is unknown.')),
  builtAt: nullable(time('When the program was built; in a checkout, the time of the commit. Null if it is unknown.')),
  api: text('Version of the public API.'),
  node: text('Version of Node.js.'),
  platform: text('Operating system and processor.'),
})

export const RunningVersionJson = named('Version', 'The running program.', {
  ...VersionsJson.properties,
  deployment: oneOf(DEPLOYMENTS, 'Which deployment this is.'),
  publicUrl: nullable(text('Base address of the public API; null until it can be called.')),
  startedAt: time('When this instance started.'),
})

const HEALTH_STATES = ['ok', 'degraded', 'failing'] as const
const OUTCOMES = ['ok', 'warn', 'fail'] as const

export type HealthPart = Static<typeof HealthPart>
export const HealthPart = named('HealthPart', 'The health of one part.', {
  part: text('The part, such as `store` or `counting`.'),
  state: oneOf(HEALTH_STATES, '`degraded`: it works, but needs attention; `failing`: it does not work.'),
  message: text('A description of its state.'),
  since: nullable(time('When it became degraded; null if it is not degraded, or if the time is unknown.')),
})

export const HealthJson = named('Health', 'The health of this instance.', {
  state: oneOf(HEALTH_STATES, 'The worst state of all parts.'),
  instances: Type.Integer({
    description: 'How many instances use the store, as far as this one knows.',
    minimum: 1,
  }),
  parts: Type.Array(HealthPart, { description: 'The parts.' }),
})

export type SettingJson = Static<typeof SettingJson>
export const SettingJson = named('Setting', 'A setting of the service.', {
  name: text('The environment variable.'),
  topic: text('Its topic, such as `HTTPS`. Settings are listed by topic.'),
  value: nullable(text('Its value, without user names and passwords; null if there is none.')),
  default: nullable(text('The value if the variable is not set; null if there is none.')),
  source: oneOf(
    ['environment', 'file', 'default'],
    'Where the value comes from. The file is that of `PETSTORE_ENV_FILE`.',
  ),
  meaning: text('What the setting is for.'),
})

export type Finding = Static<typeof Finding>
export const Finding = named('Finding', 'The result of a check.', {
  check: text('What was checked.'),
  outcome: oneOf(OUTCOMES, '`fail`: the service cannot or must not run until this is fixed.'),
  message: text('What was found, and what to do about it.'),
})

export const DoctorJson = named('Doctor', 'The results of all checks, and whether they passed.', {
  ok: Type.Boolean({ description: 'True if no check failed.' }),
  findings: Type.Array(Finding, { description: 'The results of all checks.' }),
})

/** The program, and the sources that it was built from. */
export type Build = Pick<Static<typeof VersionsJson>, 'version' | 'commit' | 'builtAt'>

export function versionsJson(build: Build): Static<typeof VersionsJson> {
  return {
    ...build,
    api: API_VERSION,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  }
}
