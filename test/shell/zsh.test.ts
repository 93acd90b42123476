import { describe, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { commandMarkers, type ShellSetup, ShellTerminal } from "./shell-terminal.ts";

const ZSH = "/usr/bin/zsh";

const start = (zshrc: string, setup: Partial<ShellSetup> = {}) =>
  ShellTerminal.start({ shell: ZSH, home: { ".zshrc": zshrc }, ...setup });

describe("startup", () => {
  const FILES = {
    ".zshenv": "ORDER+=env,",
    ".zprofile": "ORDER+=profile,",
    ".zshrc": "ORDER+=rc,",
    ".zlogin": "ORDER+=login,",
    "other/.zshenv": "ORDER+=other-env,",
    "other/.zshrc": "ORDER+=other-rc,",
  };

  test("a login shell reads all files in their order", async (context) => {
    requireProgram(context, "zsh");
    const setup = { shell: ZSH, args: ["--login"], home: FILES };
    await using terminal = await ShellTerminal.start(setup);
    const { output } = await terminal.run("echo $ORDER ${ZDOTDIR-unset}");
    expect(output).toBe("env,profile,rc,login, unset\r\n");
  });

  test("the person's own ZDOTDIR counts, also when a file sets it", async (context) => {
    requireProgram(context, "zsh");
    await using given = await ShellTerminal.start({
      shell: ZSH,
      home: { ...FILES, ".zshenv": "ZDOTDIR=~/other; ORDER+=env," },
    });
    expect((await given.run("echo $ORDER")).output).toBe("env,other-rc,\r\n");
    const env = { ZDOTDIR: `${given.home}/other` };
    await using set = await ShellTerminal.start({ shell: ZSH, env });
    expect((await set.run("echo $ORDER $ZDOTDIR")).output).toBe(
      `other-env,other-rc, ${env.ZDOTDIR}\r\n`,
    );
    expect((await set.run("env | grep ZDOTDIR")).output).toBe(`ZDOTDIR=${env.ZDOTDIR}\r\n`);
  });

  test("options are those of a shell without markers", async (context) => {
    requireProgram(context, "zsh");
    await using terminal = await start("setopt ksh_arrays");
    const { output } = await terminal.run("set -o");
    const plain = await terminal.run("zsh -ic 'set -o'");
    const without = (text: string) => text.split("\r\n").filter((line) => !/shinstdin/.test(line));
    expect(without(output)).toEqual(without(plain.output));
  });
});

describe("lines", () => {
  test("a line that continues is told as such and whole", async (context) => {
    requireProgram(context, "zsh");
    await using terminal = await start("PS2='more> '");
    const loop = await terminal.run("for i in 1 2\rdo echo $i\rdone");
    expect(loop.output).toBe("1\r\n2\r\n");
    const line = "for i in 1 2\ndo echo $i\ndone";
    // zsh cannot make a second code for the same command; the first tells all there is to tell.
    expect(loop.markers).toEqual(["F", "G", "F", "G", ...commandMarkers(terminal, line)]);
    const document = await terminal.run("cat <<X\ra;b\rX");
    expect(document.markers).toEqual([
      "F",
      "G",
      "F",
      "G",
      ...commandMarkers(terminal, "cat <<X\na;b\nX"),
    ]);
    expect((await terminal.run("true")).areGood).toBe(true);
  });

  test("a line is told whatever the history keeps", async (context) => {
    requireProgram(context, "zsh");
    await using terminal = await start("setopt hist_ignore_space; HISTSIZE=0");
    for (const line of [" echo a", "echo b", "echo b"]) {
      expect((await terminal.run(line)).markers).toEqual(commandMarkers(terminal, line));
    }
    const kept = await terminal.run("setopt; HISTSIZE=100");
    expect(kept.markers).toContain("D;0");
    expect((await terminal.run("fc -l 1")).output).not.toContain("nacre");
  });
});

describe("prompts", () => {
  const THEME = `
    theme() { PS1="$((++N))%% " RPS1= }
    seen() { print -r -- "[$? $pipestatus $_]" }
    starting() { print -r -- "<$1>" }
    precmd_functions=(seen theme) preexec_functions=(starting)
  `;

  test("themes and hooks work, and markers come last", async (context) => {
    requireProgram(context, "zsh");
    await using terminal = await start(THEME);
    const seen = await terminal.run("true | (exit 3) | (exit 4)");
    expect(seen.markers).toEqual(commandMarkers(terminal, "true | (exit 3) | (exit 4)", 4));
    expect(seen.output).toBe("");
    expect(seen.text).toContain("[4 0 3 4 ");
    expect(seen.text).toContain("<true | (exit 3) | (exit 4)>\r\n");
    expect((await terminal.run("echo $N a")).output).toBe("2 a\r\n");
    expect((await terminal.run("echo $_ $?")).output).toBe("a 0\r\n");
  });

  test("the prompt is the person's own while a command runs", async (context) => {
    requireProgram(context, "zsh");
    await using terminal = await start("setopt allexport; export PS1='own> ' PS2='more> '");
    expect((await terminal.run('echo "$PS1$PS2"')).output).toBe("own> more> \r\n");
    const { output } = await terminal.run("env");
    expect(output).toContain("PS1=own> \r\nPS2=more> \r\n");
    expect(output).not.toMatch(/nacre_(?!PTY_ID)|nacre=|EOL/i);
  });

  test("markers come back when the hooks are replaced", async (context) => {
    requireProgram(context, "zsh");
    await using terminal = await start("");
    await terminal.press("precmd_functions=()\rtrue\r");
    expect((await terminal.run("echo b")).markers).toEqual(commandMarkers(terminal, "echo b"));
  });

  test.for([
    ["unsetopt prompt_sp"],
    ["PROMPT_EOL_MARK=''"],
    ["setopt ksh_arrays sh_word_split no_unset noclobber err_return warn_create_global"],
    ["setopt prompt_subst prompt_bang"],
    ["setopt err_exit; bindkey -v"],
    ["alias print=false -g A=B; precmd() { local IFS=_n }"],
  ] as const)("markers are right after %s", async ([zshrc], context) => {
    requireProgram(context, "zsh");
    await using terminal = await start(zshrc);
    const seen = await terminal.run("! echo a");
    expect(seen.output).toBe("a\r\n");
    expect(seen.markers).toEqual(commandMarkers(terminal, "! echo a", 1));
    expect(seen.areGood).toBe(true);
    expect(seen.text).not.toContain("__nacre");
  });

  test("a trace shows nothing of the markers", async (context) => {
    requireProgram(context, "zsh");
    await using terminal = await start("PS4='+trace '");
    await terminal.run("setopt xtrace");
    expect((await terminal.run("echo a")).output).toBe("+trace echo a\r\na\r\n");
    await terminal.run("unsetopt xtrace");
    expect(terminal.output).not.toContain("__nacre");
  });

  test("markers go to the terminal, not where output goes", async (context) => {
    requireProgram(context, "zsh");
    await using terminal = await start("");
    await terminal.run("exec >log 2>&1");
    const seen = await terminal.run("echo a");
    expect(seen.markers).toEqual(commandMarkers(terminal, "echo a"));
    await terminal.run("exec >$TTY 2>&1");
    const { output } = await terminal.run("cat log");
    expect(output).toContain("a\r\n");
    expect(output).not.toContain("633");
  });
});
