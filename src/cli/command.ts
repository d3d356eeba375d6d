import { Command as Base } from 'commander'

/** A command of the program, or a group of them. */
export class Command extends Base {
  override createCommand(name?: string): Command {
    return new Command(name)
  }

  newCommand(name: string, description: string): Command {
    return this.command(name).description(description)
  }

  /** Ends the options with `--json`, and the help with this text. */
  json(whatItPrints: string, help: string): this {
    return this.option('--json', whatItPrints).addHelpText('after', help)
  }
}
