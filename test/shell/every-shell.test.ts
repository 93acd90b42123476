import { expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { promptMarkers, ShellTerminal } from "./shell-terminal.ts";

const SHELLS = ["bash", "zsh", "fish"].map((name) => ({ name, shell: `/usr/bin/${name}` }));

const LINES = [
  ["echo hi", 0, "hi\r\n"],
  ["printf unfinished", 0, "unfinished"],
  ["false", 1, ""],
  ["sh -c 'exit 255'", 255, ""],
  ["sh -c 'exit 3'; sh -c 'exit 4'", 4, ""],
  ["false | true", 0, ""],
  [`printf '%s\\n' "a;b\\\\c" 'd"e' f\\ g`, 0, 'a;b\\c\r\nd"e\r\nf g\r\n'],
  ["printf '\\033[31mred\\n'", 0, "\u001b[31mred\r\n"],
  ["printf '%s\\n' 'ünï → 漢字 🐚'", 0, "ünï → 漢字 🐚\r\n"],
  [`printf %s ${"x".repeat(3000)}`, 0, "x".repeat(3000)],
] as const;

/** A shell that saw a key answers within this time. */
const NUDGE_MS = 3000;

test.for(SHELLS)("$name marks commands from line to end", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell, args: ["--login"] });
  const { home } = terminal;
  expect(terminal.markers.map(({ text }) => text)).toEqual(promptMarkers(home));
  for (const [line, exitCode, output] of LINES) {
    const ran = await terminal.run(line);
    expect(ran.output).toBe(output);
    expect(ran.markers).toEqual([`E;${line}`, "C", `D;${exitCode}`, ...promptMarkers(home)]);
    expect(ran.areGood).toBe(true);
  }
});

test.for(SHELLS)("$name tells no line that is too long", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell });
  const ran = await terminal.run(`printf %s ${"x".repeat(4000)}`);
  expect(ran.output).toBe("x".repeat(4000));
  expect(ran.markers).toEqual(["C", "D;0", ...promptMarkers(terminal.home)]);
});

test.for(SHELLS)("$name tells how signals end commands", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell });
  expect((await terminal.run("sh -c 'kill -9 $$'")).markers).toContain("D;137");
  const from = terminal.output.length;
  await terminal.type("sh -c 'echo started; exec sleep 100'\r");
  await terminal.untilText("started\r\n", from);
  expect((await terminal.press("\u0003")).markers).toContain("D;130");
});

test.for(SHELLS)("$name marks no command where none ran", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell });
  expect((await terminal.run("")).markers).toEqual(promptMarkers(terminal.home));
  const ran = await terminal.run("true");
  expect(ran.markers).toEqual(["E;true", "C", "D;0", ...promptMarkers(terminal.home)]);
  expect(ran.areGood).toBe(true);
});

// fish may miss the key while it colours what was typed.
test.for(SHELLS.filter(({ name }) => name !== "fish"))(
  "$name marks no command that was given up",
  async ({ name, shell }, context) => {
    requireProgram(context, name);
    await using terminal = await ShellTerminal.start({ shell });
    await terminal.type("echo typed");
    await terminal.untilText("typed");
    // A signal that comes while bash is about to wait for a key is seen with the next key only, or shown and forgotten.
    const nudge = setInterval(() => void terminal.type("\u0003"), NUDGE_MS);
    const { markers } = await terminal.press("\u0003").finally(() => clearInterval(nudge));
    expect(markers).toEqual(promptMarkers(terminal.home));
  },
);

test.for(SHELLS)("$name tells its working directory", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell });
  const path = `${terminal.home}/a;b\\c ü`;
  await terminal.run("mkdir 'a;b\\\\c ü' 'a;b\\c ü'");
  const ran = await terminal.run(name === "fish" ? "cd 'a;b\\\\c ü'" : "cd 'a;b\\c ü'");
  expect(ran.markers.slice(2)).toEqual(["D;0", ...promptMarkers(path)]);
});

test.for(SHELLS)("$name keeps the codes to itself", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell, args: ["-l"] });
  expect(terminal.codeFile).toBe("");
  const { output } = await terminal.run(
    'env; sh -c \'tr "\\0" "\\n" </proc/$PPID/environ; cat /proc/$PPID/cmdline\'',
  );
  expect(output).toContain(`HOME=${terminal.home}`);
  for (const number of terminal.integration.nonces.secret.split(" ")) {
    expect(output).not.toContain(number);
  }
  const environment = await terminal.run("env");
  expect(environment.output).not.toMatch(/nacre_(?!PTY_ID)|^(?:ENV|ZDOTDIR|POSIXLY_CORRECT)=/im);
});

test.for(SHELLS)("$name is not fooled by what programs print", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell });
  await terminal.run("true");
  const used = terminal.output.match(/nacre=[-\d.]+/g)?.at(-1);
  const before = terminal.markers.length;
  await terminal.run(`printf '\\033]633;D;0;%s\\007\\033]633;D;0;nacre=1.2\\007' '${used}'; false`);
  const seen = terminal.markers.slice(before);
  expect(seen.filter(({ isGood }) => !isGood).map(({ text }) => text)).toEqual(["D;0", "D;0"]);
  expect(seen.filter(({ isGood }) => isGood).map(({ text }) => text)).toContain("D;1");
});

test.for(SHELLS)("$name is alone in marking", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell });
  const prompt = "in-here> ";
  const definition = `function fish_prompt; echo '${prompt}'; end`;
  for (const nested of ["bash --norc", "zsh -f", "dash", `fish -N -C "${definition}"`]) {
    const before = terminal.markers.length;
    await terminal.type(`env PS1='${prompt}' ${nested}\r`);
    await terminal.untilMarker("C", before);
    await terminal.untilText(prompt, terminal.markers.at(-1)?.end);
    const from = terminal.output.length;
    await terminal.type("echo nes''ted\r");
    await terminal.untilText("nested\r\n", from);
    await terminal.untilText(prompt, terminal.output.indexOf("nested\r\n", from));
    const ran = await terminal.press("exit\r");
    expect(ran.markers).toEqual(["D;0", ...promptMarkers(terminal.home)]);
    expect(ran.areGood).toBe(true);
  }
});

test.for(SHELLS)("$name says nothing once it is replaced", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell });
  const before = terminal.markers.length;
  await terminal.type(`exec ${shell}\r`);
  await terminal.untilMarker("C", before);
  await terminal.type("echo still th''ere\r");
  await terminal.untilText("still there\r\n");
  await terminal.type("exit\r");
  await terminal.toEnd();
  const texts = terminal.markers.slice(before).map(({ text }) => text);
  expect(texts).toEqual([`E;exec ${shell}`, "C"]);
});

test.for(SHELLS)("$name marks jobs as commands", async ({ name, shell }, context) => {
  requireProgram(context, name);
  await using terminal = await ShellTerminal.start({ shell });
  const { output } = await terminal.run(name === "fish" ? "echo (echo sub)" : "(echo sub)");
  expect(output).toBe("sub\r\n");
  expect((await terminal.run("sleep 100 &")).markers.slice(1, 3)).toEqual(["C", "D;0"]);
  const { markers } = await terminal.run("kill %1");
  expect(markers.slice(0, 6)).toEqual(["E;kill %1", "C", "D;0", ...promptMarkers(terminal.home)]);
});
