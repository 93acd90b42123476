# Nacre's markers for zsh, which reads this file first because of ZDOTDIR. It puts ZDOTDIR back at once, so that zsh
# finds all other startup files by itself, and reads the one it stands for.

__nacre_code=() __nacre_directory=$ZDOTDIR
IFS=' ' builtin read -rA __nacre_code 2>/dev/null <"$NACRE_SHELL_CODE"
builtin : 2>/dev/null >|"$NACRE_SHELL_CODE"
if [[ -n ${NACRE_SHELL_ZDOTDIR+set} ]]; then ZDOTDIR=$NACRE_SHELL_ZDOTDIR; else builtin unset ZDOTDIR; fi
builtin unset NACRE_SHELL_CODE NACRE_SHELL_ZDOTDIR

if [[ -o interactive ]] && (( ${#__nacre_code} == 2 )); then
  # What is defined in there always runs with the options that zsh has by default.
  builtin emulate -R zsh -o no_aliases -c 'builtin source "$__nacre_directory/markers.zsh"'
  # These two see the person's options, and hide from a trace.
  __nacre_first() { { __nacre_ended $? ${options[promptsp]} ${options[promptcr]} } 2>/dev/null }
  __nacre_last() { { __nacre_prompt ${options[promptpercent]} } 2>/dev/null }
  # Before the first prompt, and after everything that the startup files have for it.
  if builtin zmodload zsh/sched 2>/dev/null; then
    builtin sched +0 __nacre_start
  else
    precmd_functions+=(__nacre_start)
  fi
fi
builtin unset __nacre_code __nacre_directory

if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then builtin source "${ZDOTDIR-$HOME}/.zshenv"; fi
