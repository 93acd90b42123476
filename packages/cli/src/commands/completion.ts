import { NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "../command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const completionCommand: Command = {
  name: "completion",
  section: "other",
  summary: "Print a script that completes verbs, options and terminals",
  description: `Put it where your shell looks for it:
  bash  eval "$(nacre completion bash)"   in ~/.bashrc
  zsh   eval "$(nacre completion zsh)"    in ~/.zshrc
  fish  nacre completion fish | source    in ~/.config/fish/config.fish`,
  arguments: [
    {
      name: "shell",
      description: "bash, zsh or fish; `terminals` lists what a terminal can be called",
      completes: SHELLS,
    },
  ],
  examples: [
    { line: "nacre completion bash", about: "for bash" },
    { line: "nacre completion zsh", about: "for zsh" },
    { line: "nacre completion fish", about: "for fish" },
  ],

  async run({ args, call }) {
    const [shell = ""] = args;
    if (shell === "terminals") return await terminalNames(call);
    const { bashScript, fishScript, zshScript } = await import("../completion-scripts.ts");
    const { declaredVerbs } = await import("../help.ts");
    const scripts: Readonly<Record<string, typeof bashScript>> = {
      bash: bashScript,
      zsh: zshScript,
      fish: fishScript,
    };
    const scriptOf = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (!scriptOf) {
      throw new NacreError(
        "invalid_argument",
        `completion: ${shell} is not one of ${SHELLS.join(", ")}`,
        { field: "shell" },
      );
    }
    const script = scriptOf(await declaredVerbs());
    return { result: { shell, script }, text: script.trimEnd() };
  },
};

/** Other characters would need quoting. */
const PLAIN = /^[\w.+@-]+$/;

/** Where no daemon runs there are none: pressing Tab starts none. */
async function terminalNames(call: Parameters<Command["run"]>[0]["call"]): Promise<Outcome> {
  const { discoverHost } = await import("@nacre/client/quick");
  try {
    await discoverHost();
    const { terminals } = await call("listTerminals", { limit: 1000 });
    const names = terminals.flatMap(({ id, name }) => [
      ...(name !== undefined && PLAIN.test(name) ? [name] : []),
      id.slice("terminal:".length),
    ]);
    return { result: { names }, text: names.join("\n") };
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    return { result: { names: [] }, text: "" };
  }
}
