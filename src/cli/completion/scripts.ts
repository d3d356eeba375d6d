/**
 * The completion scripts. Each gets the candidates from the program that is being typed (such as ./petstore), and never lets the shell
 * evaluate the typed text.
 */
export const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** Does not need the package bash-completion. */
function bashScript(name: string): string {
  const run = functionName(name)
  return `# Completes ${name} in bash.
${run}() {
  local program=\${1/#\\~\\//$HOME/} line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <("$program" __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
  if [[ \${COMPREPLY[0]} == :files ]]; then
    COMPREPLY=()
    compopt -o default
  fi
}
complete -F ${run} ${name}
`
}

function zshScript(name: string): string {
  const run = functionName(name)
  return `#compdef ${name}
# Completes ${name} in zsh.
${run}() {
  local program=\${\${(Q)words[1]}/#\\~\\//$HOME/} current= line value
  # zsh itself matches candidates against the typed word. Only an option changes which candidates there are.
  [[ $words[CURRENT] == -* ]] && current=$words[CURRENT]
  local -a answer described
  answer=("\${(@f)$("$program" __complete zsh "\${(@Q)words[2,CURRENT-1]}" "$current" 2>/dev/null </dev/null)}")
  if [[ $answer[1] == :files ]]; then
    _files
    return
  fi
  for line in $answer; do
    # A colon separates a value from its description.
    value=\${\${line%%$'\\t'*}//\\\\/\\\\\\\\}
    described+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V ${name} described
}
if [[ $funcstack[1] == ${run} ]]; then
  ${run} "$@"
else
  compdef ${run} ${name}
fi
`
}

function fishScript(name: string): string {
  const run = functionName(name)
  return `# Completes ${name} in fish.
function ${run}
    set -l typed (commandline -opc)
    # Variable assignments may precede the program.
    while string match -qr '^\\w+=' -- $typed[1]
        set -e typed[1]
    end
    set -l program (string replace -r '^~/' "$HOME/" -- $typed[1])
    # fish itself matches candidates against the typed word. Only an option changes which candidates there are.
    set -l current (commandline -ct)
    string match -q -- '-*' $current; or set current ''
    set -l answer ($program __complete fish $typed[2..-1] "$current" 2>/dev/null </dev/null)
    if test "$answer[1]" = :files
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $answer
    end
end
complete -c ${name} -f -k -a '(${run})'
`
}

function functionName(name: string): string {
  return `_${name.replaceAll(/\W/g, '_')}`
}
