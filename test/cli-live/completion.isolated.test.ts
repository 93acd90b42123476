// A person presses Tab in a real shell, once for a verb and once for a terminal.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { PATIENCE, UserScreen } from "./user-screen.ts";

let user: UserScreen;

beforeAll(async () => {
  user = await UserScreen.open();
  // Scripts of completion ask `nacre` by its name.
  const script = `#!/bin/sh\nexec ${user.environment["NACRE"] ?? ""} "$@"\n`;
  writeFileSync(join(user.home, "nacre-command"), script, { mode: 0o755 });
  await user.line('mkdir bin; mv nacre-command bin/nacre; PATH="$PWD/bin:$PATH"; echo by-$((1+1))');
  await user.sees(/^by-2$/m);
  user.result("new", "--name", "lighthouse");
});

afterAll(() => user[Symbol.asyncDispose]());

test.for([
  ["bash", "bash --norc", 'eval "$(nacre completion bash)"'],
  ["zsh", "zsh -f", 'autoload -U compinit; compinit -u -D; eval "$(nacre completion zsh)"'],
  [
    "zsh",
    "zsh -f",
    "nacre completion zsh > _nacre; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D",
  ],
  ["fish", "fish --no-config", "nacre completion fish | source"],
] as const)("%s, started by `%s`, completes verbs and names of terminals", async (how, context) => {
  const [shell, start, setUp] = how;
  requireProgram(context, shell);
  await user.line("clear");
  await user.line(start);
  await user.line(`${setUp}; echo set-''up`);
  await user.sees(/^set-up/m);
  await user.type("nacre atta");
  await user.keys("Tab");
  await user.sees(/nacre attach *$/m);
  await user.type("lightho");
  await user.keys("Tab");
  await expect.poll(() => user.text(), PATIENCE).toMatch(/nacre attach lighthouse/);
  await user.keys("C-u");
  await user.line("exit");
  await user.worksAgain();
});
