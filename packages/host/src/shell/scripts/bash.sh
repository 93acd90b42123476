# Nacre's markers for bash. `bash --posix` reads this file alone, through ENV, also as a login shell; it reads the usual
# startup files itself, in bash's own order, after leaving posix mode. Every variable is an array, since bash never
# exports an array, not even with `set -a`.

__nacre_code=()
IFS=' ' builtin read -r -a __nacre_code 2>/dev/null <"$NACRE_SHELL_CODE"
builtin : 2>/dev/null >|"$NACRE_SHELL_CODE"
# The nonce of a marker is an arithmetic expression that prompts evaluate: they are expanded in the shell itself.
__nacre_k0=("${__nacre_code[0]-}") __nacre_k1=("${__nacre_code[1]-}") __nacre_n=(0) __nacre_h0=(0) __nacre_h1=(0)
__nacre_mac=() __nacre_r=() __nv0=(0) __nv1=(0) __nv2=(0) __nv3=(0)
builtin . "${BASH_SOURCE%/*}/siphash.sh"
if [[ -n ${NACRE_SHELL_ENV+set} ]]; then ENV=$NACRE_SHELL_ENV; else builtin unset -v ENV; fi
builtin unset -v NACRE_SHELL_CODE NACRE_SHELL_ENV

# What POSIX mode changed and leaves changed. What came with the environment is exported, and the user's own.
builtin set +o posix
builtin shopt -u inherit_errexit 2>/dev/null
__nacre_version=($((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1])))
if ((__nacre_version < 404)) || [[ ${HISTFILE@a} != *x* ]]; then HISTFILE=~/.bash_history; fi
if ((__nacre_version < 404)) || [[ ${MAILCHECK@a} != *x* ]]; then MAILCHECK=60; fi

__nacre_fresh=('nacre=$(($__nacre_mac)).$__nacre_h0.$__nacre_h1\a')

__nacre_open=(0)   # a command was started, and its end was not told yet
__nacre_ran=(1)    # the hook before all prompt commands ran since the last command
__nacre_again=(1)  # the hook behind them must run: something rewrites the prompt, or a hook is gone
__nacre_done=(0)   # it ran, for this prompt
__nacre_number=(0) # of the history, at the prompt
__nacre_nil=('') __nacre_i=(0) __nacre_status=(0) __nacre_pipe=(0) __nacre_text=('')

# The text of the prompts. `${__nacre_nil:…}` computes and prints nothing; the last element of each is for subshells,
# which print nothing. `A` reports the end of a command when no hook did before.
__nacre_mark_a=(
  "\\e]633;A;$__nacre_fresh"
  "\\e]633;D;\$?;$__nacre_fresh\\e]633;A;$__nacre_fresh\${__nacre_nil:\$((__nacre_open=0))}"
  ''
)
__nacre_mark_b=("\\e]633;B;$__nacre_fresh\${__nacre_nil:\$((__nacre_number=HISTCMD))}" '')
__nacre_mark_f=("\\e]633;F;$__nacre_fresh" '')
__nacre_mark_g=("\\e]633;G;$__nacre_fresh" '')
__nacre_mark_e=("\${__nacre_nil:\$((\$__nacre_mac))}\$({ __nacre_line; } 3>&1 >/dev/null 2>&1)" '')
# Restores a hook when none ran before this command, where bash can have several.
__nacre_rescue=('' '')
__nacre_mark_c=(
  "\${__nacre_mark_e[HISTCMD==__nacre_number?1:0]@P}\\e]633;C;$__nacre_fresh\${__nacre_rescue[__nacre_ran]@P}\
\${__nacre_nil:\$((__nacre_open=1,__nacre_again|=__nacre_ran==0,__nacre_ran=0,__nacre_done=0))}"
  ''
)

# What stands before and after the user's own text in the prompts.
__nacre_ps1=('\[${__nacre_mark_a[BASHPID==$$?__nacre_open:2]@P}\]' '\[${__nacre_mark_b[BASHPID==$$?0:1]@P}\]')
__nacre_ps2=('\[${__nacre_mark_f[BASHPID==$$?0:1]@P}\]' '\[${__nacre_mark_g[BASHPID==$$?0:1]@P}\]')
__nacre_ps0=('' '${__nacre_mark_c[BASHPID==$$?0:1]@P}')

# What stands in PROMPT_COMMAND before and after everything else. The commands between must find $?, PIPESTATUS and $_
# unchanged: the loop ends with the status of its body, and its last expression, which comes after, sets PIPESTATUS.
__nacre_hook_first=('{ for ((__nacre_i=1;__nacre_i;__nacre_i=0,__nacre_pipe)); do __nacre_first "$_"; done; }')
__nacre_hook_first+=' 3>&2 >/dev/null 2>&1'
# A loop over nothing does not even run a DEBUG trap, by which prompts see that the next command starts.
__nacre_hook_last=('{ for __nacre_i in "${__nacre_again[@]:0:__nacre_again}"; do __nacre_last; done; }')
__nacre_hook_last+=' 3>&2 >/dev/null 2>&1'

# Sends a marker to where prompts go (stderr).
__nacre_send() {
  builtin printf '\e]633;%s;nacre=%s\a' "$1" "$(($__nacre_mac)).$__nacre_h0.$__nacre_h1" >&3
}

# Escapes a text for a marker into __nacre_text; fails where a marker cannot contain it.
__nacre_escape() {
  builtin local __nacre_hex __nacre_char
  __nacre_text=${1//\\/'\\'}
  __nacre_text=${__nacre_text//;/'\x3b'}
  if [[ $__nacre_text == *[[:cntrl:]]* ]]; then
    for __nacre_hex in 0{1..9} 0{a..f} 1{0..9} 1{a..f} 7f; do
      builtin printf -v __nacre_char "\\x$__nacre_hex"
      __nacre_text=${__nacre_text//"$__nacre_char"/"\\x$__nacre_hex"}
    done
  fi
  [[ $__nacre_text != *[[:cntrl:]]* ]]
}

# In a subshell: sends the command line from the history. Our markers have at most 4 KiB.
__nacre_line() {
  builtin local __nacre_entry
  builtin set +eu
  # Where this variable cannot be local, history lines would contain times.
  builtin local HISTTIMEFORMAT= || builtin return
  __nacre_entry=$(builtin history 1)
  if __nacre_escape "${__nacre_entry#*[0-9][* ] }"; then
    LC_ALL=C
    if ((${#__nacre_text} <= 4000)); then
      builtin printf '\e]633;E;%s;nacre=%s\a' "$__nacre_text" "$__nacre_n.$__nacre_h0.$__nacre_h1" >&3
    fi
  fi
}

# Wraps a prompt in markers, replacing older ones; fails when they were already right.
__nacre_wrap() {
  builtin local -n "__nacre_prompt=$1"
  builtin local "__nacre_wanted=${__nacre_prompt-}"
  __nacre_wanted=${__nacre_wanted//"$2"/}
  __nacre_wanted=${__nacre_wanted//"$3"/}
  if builtin shopt -q promptvars; then __nacre_wanted=$2$__nacre_wanted$3; fi
  # Only this shell can expand the markers.
  if [[ ${__nacre_prompt@a} == *x* ]]; then builtin export -n "$1"; fi
  if [[ ${__nacre_prompt-} == "$__nacre_wanted" || ${__nacre_prompt@a} == *r* ]]; then builtin return 1; fi
  __nacre_prompt=$__nacre_wanted
}

# Wraps all prompts; the hook after the prompt commands is needed as long as this changes something.
__nacre_prompts() {
  if __nacre_wrap PS0 "${__nacre_ps0[@]}"; then __nacre_again=1; fi
  if __nacre_wrap PS1 "${__nacre_ps1[@]}"; then __nacre_again=1; fi
  if __nacre_wrap PS2 "${__nacre_ps2[@]}"; then __nacre_again=1; fi
}

# Puts the hooks in place. Tools edit PROMPT_COMMAND as one text, so the first hook is part of theirs.
__nacre_hooks() {
  builtin local __nacre_one
  builtin local -a __nacre_all
  if [[ "${PROMPT_COMMAND[*]@a}" == *r* ]]; then builtin return; fi
  if ((__nacre_version < 501)); then
    if [[ ${PROMPT_COMMAND-} != *"$__nacre_hook_first"*"$__nacre_hook_last" ]]; then
      __nacre_one=${PROMPT_COMMAND-}
      __nacre_one=${__nacre_one//"$__nacre_hook_first"/:}
      __nacre_one=${__nacre_one//"$__nacre_hook_last"/:}
      builtin unset -v PROMPT_COMMAND
      PROMPT_COMMAND=("$__nacre_hook_first"$'\n'"${__nacre_one:-:}"$'\n'"$__nacre_hook_last")
    fi
    builtin return
  fi
  __nacre_rescue=('${__nacre_hook_last#"${PROMPT_COMMAND[99]:=$__nacre_hook_last}"}' '')
  for __nacre_one in "${PROMPT_COMMAND[@]}"; do
    if [[ $__nacre_one != "$__nacre_hook_last" ]]; then __nacre_all+=("$__nacre_one"); fi
  done
  __nacre_one=${__nacre_all[0]-}
  if [[ $__nacre_one != "$__nacre_hook_first"* ]]; then
    __nacre_one=${__nacre_one//$'\n'"$__nacre_hook_first"$'\n'/$'\n'}
    __nacre_all[0]=$__nacre_hook_first${__nacre_one:+$'\n'${__nacre_one//"$__nacre_hook_first"/:}}
  fi
  __nacre_all+=("$__nacre_hook_last")
  if [[ "${PROMPT_COMMAND[*]@Q}" != "${__nacre_all[*]@Q}" ]]; then PROMPT_COMMAND=("${__nacre_all[@]}"); fi
}

# Before all prompt commands: the command ended here.
__nacre_first() {
  __nacre_status=("$?" "${PIPESTATUS[@]}")
  builtin local - "__nacre_flags=$-" __nacre_at
  builtin set +eux
  if ((__nacre_open)); then __nacre_send "D;$__nacre_status"; fi
  __nacre_open=0 __nacre_ran=1 __nacre_done=0 __nacre_pipe=0
  if ((${#PWD} <= 1000)) && __nacre_escape "$PWD"; then __nacre_send "P;Cwd=$__nacre_text"; fi
  __nacre_prompts
  __nacre_hooks
  for ((__nacre_at = 1; __nacre_at < ${#__nacre_status[@]}; __nacre_at++)); do
    __nacre_pipe+=",PIPESTATUS[$((__nacre_at - 1))]=${__nacre_status[__nacre_at]}"
  done
  # With errexit, the status cannot have been a failure.
  if [[ $__nacre_flags != *e* ]]; then builtin return "$__nacre_status"; fi
}

# After all prompt commands: wraps the prompts that they changed.
__nacre_last() {
  builtin local -
  builtin set +eux
  if ((!__nacre_done)); then __nacre_again=0; fi
  __nacre_done=1
  __nacre_prompts
  __nacre_hooks
}

# After the start-up files, with the status they left.
__nacre_install() {
  if ((${#__nacre_code[@]} == 2 && __nacre_version >= 404)); then
    builtin local -
    builtin set +eux
    __nacre_prompts
    __nacre_hooks
  elif ((${#__nacre_code[@]} == 2)); then
    # Without PS0 nothing reports the start of a command, and the prompts get markers as they are now.
    PS1="\\[\\e]633;D;\$?;$__nacre_fresh\\e]633;A;$__nacre_fresh\\]$PS1\\[\\e]633;B;$__nacre_fresh\\]"
    PS2="\\[\\e]633;F;$__nacre_fresh\\]$PS2\\[\\e]633;G;$__nacre_fresh\\]"
  fi
  builtin unset -v __nacre_code
  builtin unset -f __nacre_install
  builtin return "$1"
}

if builtin shopt -q login_shell; then
  if [[ -r /etc/profile ]]; then builtin . /etc/profile; fi
  if [[ -r ~/.bash_profile ]]; then
    builtin . ~/.bash_profile
  elif [[ -r ~/.bash_login ]]; then
    builtin . ~/.bash_login
  elif [[ -r ~/.profile ]]; then
    builtin . ~/.profile
  fi
else
  # Each system compiles its own path into bash.
  if [[ -r /etc/bash.bashrc ]]; then
    builtin . /etc/bash.bashrc
  elif [[ -r /etc/bash/bashrc ]]; then
    builtin . /etc/bash/bashrc
  fi
  if [[ -r ~/.bashrc ]]; then builtin . ~/.bashrc; fi
fi
{ __nacre_install "$?"; } >/dev/null 2>&1
