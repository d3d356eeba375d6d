import type { SettingJson } from '../operator/running-service.ts'
import { type Environment, SETTINGS, type Setting } from './settings.ts'
import { settingsFile } from './settings-file.ts'

/** Every setting with its value, for people, without secrets. The settings must be valid. */
export function describeSettings(env: Environment): SettingJson[] {
  return Object.values(SETTINGS).map((setting: Setting) => {
    const { name, topic, default: fallback = null, meaning, show = (text: string) => text } = setting
    const given = env[name]?.trim()
    return {
      name,
      topic,
      value: given ? show(given) : fallback,
      default: fallback,
      source: given ? (settingsFile()?.names.has(name) ? 'file' : 'environment') : 'default',
      meaning,
    }
  })
}
