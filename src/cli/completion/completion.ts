import { Argument, type Command } from 'commander'
import { COMMAND } from '../../app/command-name.ts'
import { SCRIPTS, SHELLS, type Shell } from './scripts.ts'

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a script that lets a shell complete commands.')
    .addArgument(new Argument('<shell>', 'the shell that will read the script').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      // Shells complete by the name of a program, whatever folder it is in.
      const [name = 'petstore'] = COMMAND.split(/[ /]/).slice(-1)
      process.stdout.write(SCRIPTS[shell](name))
    })
}

const HELP = `
The script completes commands, options and their values: plans, the names of
accounts, the ids of keys and tokens. These come from the store of the settings
in that shell, if it has one; the store is only read.

Examples:
  bash, in ~/.bashrc:
  $ source <(petstore completion bash)

  zsh, in ~/.zshrc, after compinit:
  $ source <(petstore completion zsh)

  fish, once:
  $ petstore completion fish >~/.config/fish/completions/petstore.fish

For all users, root writes the script of bash to
/usr/share/bash-completion/completions/petstore, and that of zsh to
/usr/local/share/zsh/site-functions/_petstore.`
