# Nacre's markers for fish: `source fish.fish <file with the key>`, after the configuration, before the first prompt. In
# fish, command substitutions of builtins run in the shell itself.

builtin read --global --list __nacre_key <$argv[1]
builtin true >$argv[1]
builtin set -g __nacre_directory (builtin string replace --regex '/[^/]*$' '' -- (builtin status filename))
builtin set -g __nacre_counter 0
builtin set -g __nacre_codes
builtin set -g __nacre_prompt_end

# fish's math has 53 bits, so a POSIX shell computes the nonces, many at a time. The key goes through a pipe: other
# processes can read arguments and environment.
function __nacre_refill
    builtin set -g __nacre_codes (builtin printf '%s\n' "$__nacre_key $__nacre_counter 128" | command /bin/sh $__nacre_directory/codes.sh 2>/dev/null)
    builtin set -g __nacre_counter (builtin math $__nacre_counter + 128)
end

# Makes a marker with a fresh nonce.
function __nacre_make
    builtin set --query __nacre_codes[1]; or __nacre_refill
    builtin printf '\e]633;%s;nacre=%s\a' $argv[1] $__nacre_codes[1]
    builtin set --erase __nacre_codes[1]
end

# Prints a text escaped for a marker, in one line; nothing when it exceeds 4 KiB.
function __nacre_escape
    builtin set -l text (builtin string replace --all '\\' '\\\\' -- $argv[1])
    builtin set text (builtin string replace --all ';' '\x3b' -- $text)
    if builtin string match --quiet --regex '[\x01-\x1f\x7f]' -- $text
        for code in 0(builtin string split '' 123456789abcdef) 1(builtin string split '' 0123456789abcdef) 7f
            builtin set text (builtin string replace --all (builtin printf "\x$code") "\x$code" -- $text)
        end
    end
    builtin set text (builtin string join '\x0a' -- $text)
    builtin string match --quiet --regex '^(?:[ -~]{0,4000}|[^\x00-\x1f\x7f-\x9f]{0,1000})$' -- $text
    and builtin printf '%s\n' $text
end

# While fish waits for a line, a marker follows the user's own prompt; the prompt that can be saved has none.
function __nacre_wrap
    builtin functions --query __nacre_user_prompt; and builtin functions --erase __nacre_user_prompt
    builtin functions --copy fish_prompt __nacre_user_prompt
    function fish_prompt
        builtin set -l lines (__nacre_user_prompt $argv)
        builtin set --query lines[1]; or builtin set lines ''
        builtin set lines[-1] $lines[-1]$__nacre_prompt_end
        builtin printf '%s\n' $lines
    end
end

function __nacre_unwrap
    if builtin string match --quiet '*__nacre_user_prompt*' -- (builtin functions fish_prompt)
        builtin functions --erase fish_prompt
        builtin functions --copy __nacre_user_prompt fish_prompt
    end
end

function __nacre_ready --on-event fish_prompt
    __nacre_unwrap
    __nacre_wrap
    builtin set -l path (__nacre_escape $PWD)
    and __nacre_make "P;Cwd=$path"
    __nacre_make A
    # A prompt may be drawn several times; the marker counts once.
    builtin set -g __nacre_prompt_end (__nacre_make B)
end

function __nacre_start --on-event fish_preexec
    __nacre_unwrap
    builtin set -l line (__nacre_escape $argv[1])
    and __nacre_make "E;$line"
    __nacre_make C
end

function __nacre_end --on-event fish_postexec
    __nacre_make "D;$status"
end
