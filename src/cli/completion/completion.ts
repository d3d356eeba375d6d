import { Argument, type Command } from 'commander'
import { COMPLETED_NAME } from '../../app/command-name.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a script that lets a shell complete commands.')
    .addArgument(new Argument('<shell>', 'the shell that will read the script').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: (typeof SHELLS)[number]) => {
      // Loaded late, so that help and other commands stay fast.
      const { SCRIPTS } = await import('./scripts.ts')
      process.stdout.write(SCRIPTS[shell](COMPLETED_NAME))
    })
}

const HELP = `
It completes commands, options and their values, such as plans, names of
accounts, and ids of keys and tokens. Names and ids come from the store that the
shell's settings name, which is only read.

Add the line to ~/.bashrc or, after compinit, to ~/.zshrc. For fish, run the
last command once.

Examples:
  $ source <(petstore completion bash)
  $ source <(petstore completion zsh)
  $ petstore completion fish >~/.config/fish/completions/petstore.fish`
