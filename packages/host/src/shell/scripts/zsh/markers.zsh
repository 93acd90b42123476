# Sends Nacre's markers in zsh. Nonces made in advance stay in this shell: nothing assigned here is exported, and while
# a command runs the prompts are the user's own.

typeset -gi __nacre_k0=$__nacre_code[1] __nacre_k1=$__nacre_code[2] __nacre_n=0 __nacre_h0=0 __nacre_h1=0
typeset -gi __nv0=0 __nv1=0 __nv2=0 __nv3=0
typeset -g __nacre_mac= __nacre_r=
builtin source "${__nacre_directory:h}/siphash.sh"
typeset -gi __nacre_open=0                # a command was started, and its end was not told yet
typeset -g __nacre_terminal=$TTY          # where prompts go, wherever output is sent
typeset -g __nacre_marker= __nacre_text=    # what the functions below give back
typeset -g __nacre_ps1= __nacre_ps2=()    # what was added to the prompts
typeset -g __nacre_eol= __nacre_end=      # what was added to PROMPT_EOL_MARK, and the marker in it
typeset -ga __nacre_eol_before=()         # PROMPT_EOL_MARK as the person set it, if so

# Makes a marker with a fresh nonce.
__nacre_make() {
  __nacre_marker=$'\e]633;'"$1;nacre=$(($__nacre_mac)).$__nacre_h0.$__nacre_h1"$'\a'
}

# Escapes a text for a marker into __nacre_text; fails where a marker cannot contain it, or when it exceeds 4 KiB.
__nacre_escape() {
  local code char
  __nacre_text=${${1//\\/\\\\}//;/\\x3b}
  if [[ $__nacre_text == *[[:cntrl:]]* ]]; then
    for code in 0{1..9} 0{a..f} 1{0..9} 1{a..f} 7f; do
      printf -v char "\\x$code"
      __nacre_text=${__nacre_text//$char/\\x$code}
    done
  fi
  [[ $__nacre_text != *[[:cntrl:]]* ]] || return
  setopt local_options no_multibyte
  (( ${#__nacre_text} <= 4000 ))
}

# Writable and not exported.
__nacre_is_ours() { [[ ${(Pt)1} != *(readonly|export)* ]] }

# Restores the user's own prompts.
__nacre_bare() {
  if [[ -n $__nacre_ps1 ]]; then PS1=${PS1//$__nacre_ps1}; fi
  if (( $#__nacre_ps2 )); then PS2=${${PS2//$__nacre_ps2[1]}//$__nacre_ps2[2]}; fi
  __nacre_ps1= __nacre_ps2=()
  if [[ -n $__nacre_eol && $PROMPT_EOL_MARK == $__nacre_eol* ]]; then
    if (( $#__nacre_eol_before )); then PROMPT_EOL_MARK=$__nacre_eol_before[1]; else unset PROMPT_EOL_MARK; fi
  fi
  __nacre_eol=
}

# Ours is the first and the last precmd hook, and the last preexec hook.
__nacre_hooks() {
  local -a wanted
  wanted=(__nacre_first ${precmd_functions:#__nacre_(first|last|start)} __nacre_last)
  if [[ "$precmd_functions" != "$wanted" ]]; then precmd_functions=($wanted); fi
  wanted=(${preexec_functions:#__nacre_preexec} __nacre_preexec)
  if [[ "$preexec_functions" != "$wanted" ]]; then preexec_functions=($wanted); fi
}

# A command starts. Its end marker goes into what zsh prints first afterwards: the PROMPT_EOL_MARK for an incomplete
# last line, which would otherwise count as output.
__nacre_preexec() {
  local markers=
  __nacre_bare
  if [[ -n $1 ]] && __nacre_escape $1; then
    __nacre_make "E;$__nacre_text"
    markers=$__nacre_marker
  fi
  __nacre_make C
  markers+=$__nacre_marker
  __nacre_make 'D;%?'
  __nacre_end=$__nacre_marker __nacre_open=1
  if __nacre_is_ours PROMPT_EOL_MARK; then
    __nacre_eol="%{$__nacre_end%}"
    if (( ${+PROMPT_EOL_MARK} )); then __nacre_eol_before=("$PROMPT_EOL_MARK"); else __nacre_eol_before=(); fi
    PROMPT_EOL_MARK=$__nacre_eol${PROMPT_EOL_MARK-%B%S%#%s%b}
  fi
  __nacre_hooks
  print -rn -- $markers >$__nacre_terminal
}

# A command ended with this status; already reported if zsh printed PROMPT_EOL_MARK.
__nacre_ended() {
  if (( __nacre_open )) && [[ $2$3 != onon || -z $__nacre_eol || $PROMPT_EOL_MARK != $__nacre_eol* ]]; then
    print -rn -- ${__nacre_end/'%?'/$1} >$__nacre_terminal
  fi
  __nacre_open=0
  __nacre_bare
}

# A prompt follows. A marker in it needs prompt escapes.
__nacre_prompt() {
  local markers=
  __nacre_bare
  __nacre_hooks
  if __nacre_escape $PWD; then
    __nacre_make "P;Cwd=$__nacre_text"
    markers=$__nacre_marker
  fi
  __nacre_make A
  markers+=$__nacre_marker
  if [[ $1 == on ]]; then
    __nacre_make B
    if [[ ${(t)PS1} != *readonly* ]]; then
      __nacre_ps1="%{$__nacre_marker%}"
      PS1+=$__nacre_ps1
    fi
    if [[ ${(t)PS2} != *readonly* ]]; then
      __nacre_make F
      __nacre_ps2=("%{$__nacre_marker%}")
      __nacre_make G
      __nacre_ps2+=("%{$__nacre_marker%}")
      PS2=$__nacre_ps2[1]$PS2$__nacre_ps2[2]
    fi
  fi
  print -rn -- $markers >$__nacre_terminal
}

# The first prompt, with the status that the start-up files left.
__nacre_start() {
  local result=$?
  __nacre_last
  unfunction __nacre_start
  return $result
}
