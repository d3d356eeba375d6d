import { Argument } from 'commander'
import { COMPLETED_NAME } from '../../app/command-name.ts'
import type { Command } from '../command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export function addCompletionCommand(program: Command): void {
  program
    .newCommand('completion', 'Print a script for completing commands in a shell.')
    .addArgument(new Argument('<shell>', 'the shell that will run the script').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: (typeof SHELLS)[number]) => {
      // Loaded late, so that help and other commands stay fast.
      const { SCRIPTS } = await import('./scripts.ts')
      process.stdout.write(SCRIPTS[shell](COMPLETED_NAME))
    })
}

const HELP = `
The script completes commands, options and their values, such as plans, account
names, and ids of keys and tokens. Names and ids come from the store that the
settings in the shell point to. The store is only read.

Add the line for your shell to ~/.bashrc or, after compinit, to ~/.zshrc. For
fish, run the last command once.

Examples:
  $ source <(petstore completion bash)
  $ source <(petstore completion zsh)
  $ petstore completion fish >~/.config/fish/completions/petstore.fish`
