import type { Argument, Option } from "./command.ts";
import { type DeclaredVerb, describeOption } from "./help.ts";
import { GLOBAL_OPTIONS } from "./parse-words.ts";

/** Single quotes, as every shell here reads them. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const namesOf = ({ name, aliases }: DeclaredVerb): readonly string[] => [name, ...aliases];

const optionsOf = ({ options = [] }: DeclaredVerb): readonly Option[] => [
  ...options,
  ...GLOBAL_OPTIONS,
];

const spellings = ({ name, short }: Option): readonly string[] => [
  `--${name}`,
  ...(short === undefined ? [] : [`-${short}`]),
];

/** By position; the last is for all that follow. */
const placesOf = ({ arguments: args = [] }: DeclaredVerb): readonly Argument[] =>
  args.filter(({ completes }) => completes !== undefined);

function wordsFor({ completes }: Argument): string {
  if (completes === "terminals") return "$(nacre completion terminals 2>/dev/null)";
  return completes === undefined || completes === "files" ? "" : completes.join(" ");
}

export function bashScript(verbs: readonly DeclaredVerb[]): string {
  const cases = verbs.map((verb) => {
    const words = placesOf(verb).map(wordsFor).filter(Boolean).join(" ");
    const flags = optionsOf(verb).flatMap(spellings).join(" ");
    const values = optionsOf(verb).flatMap((option) =>
      option.choices === undefined
        ? []
        : [`${spellings(option).join("|")}) words="${option.choices.join(" ")}" ;;`],
    );
    return `    ${namesOf(verb).join("|")})
      flags="${flags}" words="${words}"
      case "$previous" in ${values.join(" ")} esac ;;`;
  });
  return `# Completes nacre in bash.
_nacre() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" flags="" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${verbs.map(({ name }) => name).join(" ")}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
  esac
}
complete -o default -F _nacre nacre
`;
}

/** Colons and brackets are special in _arguments. */
const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);

function zshPlace(argument: Argument): string {
  const { name, completes, isMany } = argument;
  const action =
    completes === "terminals"
      ? "_nacre_terminals"
      : completes === "files"
        ? "_files"
        : completes === undefined
          ? ""
          : `(${completes.join(" ")})`;
  return quoted(`${isMany ? "*" : ""}:${name}:${action}`);
}

const zshOption = (option: Option): readonly string[] =>
  spellings(option).map((spelling) => {
    const value =
      option.value === undefined
        ? ""
        : `:${option.value}:${option.choices === undefined ? "" : `(${option.choices.join(" ")})`}`;
    return quoted(
      `${option.isMany ? "*" : ""}${spelling}[${zshText(describeOption(option))}]${value}`,
    );
  });

export function zshScript(verbs: readonly DeclaredVerb[]): string {
  const described = verbs.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(" ");
  const cases = verbs.map((verb) => {
    const specs = [...optionsOf(verb).flatMap(zshOption), ...(verb.arguments ?? []).map(zshPlace)];
    return `    ${namesOf(verb).join("|")}) _arguments ${specs.join(" ")} ;;`;
  });
  return `#compdef nacre
# Completes nacre in zsh.
_nacre_terminals() {
  local -a names
  names=(\${(f)"$(nacre completion terminals 2>/dev/null)"})
  compadd -a names
}
_nacre() {
  if (( CURRENT == 2 )); then
    local -a verbs
    verbs=(${described})
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
${cases.join("\n")}
  esac
}
# From a directory of \`fpath\` this file is run as the function itself when it is first needed.
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _nacre "$@"
else
  compdef _nacre nacre
fi
`;
}

export function fishScript(verbs: readonly DeclaredVerb[]): string {
  const lines = verbs.flatMap((verb) => {
    const seen = quoted(`__fish_seen_subcommand_from ${namesOf(verb).join(" ")}`);
    const places = placesOf(verb).map((argument) =>
      argument.completes === "files"
        ? `complete -c nacre -n ${seen} -F`
        : `complete -c nacre -n ${seen} -a ${quoted(argument.completes === "terminals" ? "(nacre completion terminals 2>/dev/null)" : wordsFor(argument))}`,
    );
    const options = optionsOf(verb).map((option) => {
      const short = option.short === undefined ? "" : ` -s ${option.short}`;
      const choices = option.choices === undefined ? "" : ` -a ${quoted(option.choices.join(" "))}`;
      const value = option.value === undefined ? "" : ` -x${choices}`;
      return `complete -c nacre -n ${seen} -l ${option.name}${short}${value} -d ${quoted(describeOption(option))}`;
    });
    return [
      `complete -c nacre -n __fish_use_subcommand -a ${verb.name} -d ${quoted(verb.summary)}`,
      ...places,
      ...options,
    ];
  });
  return ["# Completes nacre in fish.", "complete -c nacre -f", ...lines, ""].join("\n");
}
