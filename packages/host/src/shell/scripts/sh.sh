# Nacre's markers for dash, and for bash when called sh: read through ENV. Only PS1 and PS2 are evaluated at the right
# times, so they report prompts and the last exit status, but not when a command starts.

read -r __nacre_k0 __nacre_k1 <"$NACRE_SHELL_CODE"
: >"$NACRE_SHELL_CODE"
# ENV still names this file, spelled for expansion.
eval "__nacre_file=\"$ENV\""
. "${__nacre_file%/*}/siphash.sh"
__nacre_on= __nacre_n=0 __nacre_h0=0 __nacre_h1=0 __nv0=0 __nv1=0 __nv2=0 __nv3=0
if [ -n "${NACRE_SHELL_ENV+set}" ]; then ENV=$NACRE_SHELL_ENV; else unset ENV; fi
unset NACRE_SHELL_CODE NACRE_SHELL_ENV

# A marker for a prompt; printed only here, should another shell inherit the prompt. Readline must know its width.
__nacre_open="\${__nacre_on+$(printf '\033')]633;"
__nacre_close=";nacre=\$((\$__nacre_mac)).\$__nacre_h0.\$__nacre_h1$(printf '\007')}"
if [ -n "${BASH_VERSION-}" ]; then __nacre_open="\\[$__nacre_open" __nacre_close="$__nacre_close\\]"; fi

# Such directory names cannot be reported without a function.
__nacre_strange='*[;\\[:cntrl:]]*'

# The user's own ENV file; shells expand its name.
if [ -n "${ENV-}" ]; then
  eval "__nacre_file=\"$ENV\""
  if [ -r "$__nacre_file" ]; then . "$__nacre_file"; fi
fi

__nacre_ps1="\${__nacre_ended+${__nacre_open}D;\$?$__nacre_close}\${__nacre_ended=}"
__nacre_ps1="$__nacre_ps1${__nacre_open}P;Cwd=\${PWD##\$__nacre_strange}$__nacre_close${__nacre_open}A$__nacre_close"
__nacre_ps1="$__nacre_ps1${PS1-}${__nacre_open}B$__nacre_close"
__nacre_ps2="${__nacre_open}F$__nacre_close${PS2-}${__nacre_open}G$__nacre_close"
# This ends an export, but not in dash, which never stops exporting its prompts.
unset PS1 PS2
PS1=$__nacre_ps1 PS2=$__nacre_ps2
unset __nacre_open __nacre_close __nacre_file __nacre_ps1 __nacre_ps2
