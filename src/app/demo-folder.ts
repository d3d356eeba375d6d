import { existsSync } from 'node:fs'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { isServing } from '../sqlite/serving-lock.ts'
import { SETTINGS } from './settings.ts'
import { loadSettingsFile } from './settings-file.ts'

/** The store of the demo, which leaves the default folder to the operator's first real store. */
const DEMO_FOLDER = './demo'

/** Commands for a store on which no service runs. */
const WITHOUT_SERVICE = ['serve', 'restore', 'migrate-store']

/** Lets this process use the demo's store, unless the settings name another one. */
export function chooseDemoFolder(): void {
  loadSettingsFile()
  const { databaseUrl, dataFolder } = SETTINGS
  // Blank counts as unset.
  const isUnset = [databaseUrl, dataFolder].every(({ name }) => !process.env[name]?.trim())
  if (isUnset) process.env[dataFolder.name] = DEMO_FOLDER
}

/**
 * A command that is typed while the demo runs is for the demo's store, as long as there is no other one.
 * @param command the first word of the command line
 */
export function chooseRunningDemo(command: string | undefined): void {
  if (command === undefined || WITHOUT_SERVICE.includes(command)) return
  if (!isChosenWhileRunning(DEMO_FOLDER) || !isDemoRunning()) return
  try {
    chooseDemoFolder()
  } catch {
    // The settings file cannot be used. A command that needs settings says so; others, such as help, work without.
  }
}

function isDemoRunning(): boolean {
  try {
    return isServing(DEMO_FOLDER)
  } catch {
    // The folder is of another user, or has something else. That must not stop a command, which may be for quite another store.
    return false
  }
}

/** Whether commands typed in this folder choose this data folder, without a setting, while a service runs on it. */
export function isChosenWhileRunning(folder: string): boolean {
  return folder === DEMO_FOLDER && !existsSync(databaseFile(SETTINGS.dataFolder.default))
}
