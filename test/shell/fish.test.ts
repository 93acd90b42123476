import { expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { commandMarkers, ShellTerminal } from "./shell-terminal.ts";

const FISH = "/usr/bin/fish";

const start = (config: string) =>
  ShellTerminal.start({ shell: FISH, home: { ".config/fish/config.fish": config } });

test("fish reads its configuration, and its prompt finds the status", async (context) => {
  requireProgram(context, "fish");
  await using terminal = await start(`
    set -g own loaded
    function fish_prompt
      echo "[$status $pipestatus]"
      echo 'own> '
    end
  `);
  const seen = await terminal.run("echo $own; true | sh -c 'exit 3'");
  expect(seen.output).toBe("loaded\r\n");
  // The end of a prompt's last line is no line of its own.
  expect(seen.text).toContain("[3 0 3]");
  // oxlint-disable-next-line no-control-regex -- a marker begins with it
  expect(seen.text).toMatch(/own> \x1b\]633;B/);
  expect(seen.markers).toEqual(commandMarkers(terminal, "echo $own; true | sh -c 'exit 3'", 3));
  expect((await terminal.run("echo $status $pipestatus")).output).toBe("3 0 3\r\n");
});

test("a prompt that is replaced gets its marker again", async (context) => {
  requireProgram(context, "fish");
  await using terminal = await start("");
  for (const name of ["first", "second"]) {
    const line = `function fish_prompt; echo '${name}> '; end`;
    const seen = await terminal.run(line);
    expect(seen.markers).toEqual(commandMarkers(terminal, line));
    expect(seen.text).toContain(`${name}> `);
  }
  const { output } = await terminal.run("functions --no-details fish_prompt | cat");
  expect(output).toContain("echo 'second> '");
  expect(output).not.toContain("nacre");
  const empty = await terminal.run("function fish_prompt; end");
  expect(empty.areGood).toBe(true);
});

test("a line of several lines is told whole", async (context) => {
  requireProgram(context, "fish");
  await using terminal = await start("");
  const seen = await terminal.run("for i in 1 2\recho $i\rend");
  expect(seen.output).toBe("1\r\n2\r\n");
  expect(seen.markers).toEqual(commandMarkers(terminal, "for i in 1 2\necho $i\nend"));
});

test("functions of the same names change nothing", async (context) => {
  requireProgram(context, "fish");
  await using terminal = await start(`
    function printf; builtin printf fake; end
    function string; builtin printf fake; end
    function math; builtin printf 7; end
    set -gx fish_trace 1
  `);
  const seen = await terminal.run("echo 'a;b'");
  expect(seen.markers).toEqual(commandMarkers(terminal, "echo 'a;b'"));
  expect(seen.areGood).toBe(true);
});

test("the history has what was typed, and nothing else", async (context) => {
  requireProgram(context, "fish");
  await using terminal = await start("");
  await terminal.run("echo one");
  expect((await terminal.run("history | cat")).output).toBe("echo one\r\n");
});
