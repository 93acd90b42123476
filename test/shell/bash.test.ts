import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commandMarkers, promptMarkers, ShellTerminal } from "./shell-terminal.ts";

const BASH = "/usr/bin/bash";

const start = (bashrc: string, more: Readonly<Record<string, string>> = {}) =>
  ShellTerminal.start({ shell: BASH, home: { ".bashrc": bashrc, ...more } });

describe("startup", () => {
  const FILES = {
    ".bash_profile": "ORDER+=profile,",
    ".bash_login": "ORDER+=login,",
    ".profile": "ORDER+=sh,",
    ".bashrc": "ORDER+=rc,; return 3",
    ".bash_logout": "echo logged out",
  };

  test("a login shell reads what a login shell reads, and remains one", async () => {
    const setup = { shell: BASH, args: ["--login"], home: FILES };
    await using terminal = await ShellTerminal.start(setup);
    expect((await terminal.run("echo $ORDER")).output).toBe("profile,\r\n");
    expect((await terminal.run("shopt -q login_shell")).markers).toContain("D;0");
    await terminal.type("logout\r");
    await terminal.toEnd();
    expect(terminal.output).toContain("logged out\r\n");
  });

  test("another shell reads its own, with the status it leaves", async () => {
    await using terminal = await ShellTerminal.start({ shell: BASH, home: FILES });
    expect((await terminal.run("echo $? $ORDER")).output).toBe("3 rc,\r\n");
  });

  test("the person's ENV and ways stay as they were", async () => {
    const env = { ENV: "$HOME/own", HISTFILE: "/dev/null" };
    await using terminal = await ShellTerminal.start({ shell: BASH, env });
    expect((await terminal.run("echo $ENV $HISTFILE")).output).toBe("$HOME/own /dev/null\r\n");
    const options = await terminal.run("shopt -p; shopt -po; set -o; declare -p MAILCHECK; trap");
    const plain = await terminal.run(
      "bash -ic 'shopt -p; shopt -po; set -o; declare -p MAILCHECK; trap'",
    );
    const without = (output: string) =>
      output.split("\r\n").filter((line) => !/history|expand|monitor/.test(line));
    expect(without(options.output)).toEqual(without(plain.output));
  });

  test("the history has what was typed, and nothing else", async () => {
    await using terminal = await start("HISTCONTROL=ignorespace");
    await terminal.run("echo one");
    await terminal.run(" echo hidden");
    await terminal.type("exit\r");
    await terminal.toEnd();
    expect(readFileSync(`${terminal.home}/.bash_history`, "utf8")).toBe("echo one\nexit\n");
  });
});

describe("lines", () => {
  test("a line that continues is told as such and whole", async () => {
    await using terminal = await start("PS2='more> '");
    const loop = await terminal.run("for i in 1 2\rdo echo $i\rdone");
    expect(loop.output).toBe("1\r\n2\r\n");
    const line = "for i in 1 2; do echo $i; done";
    expect(loop.markers).toEqual(["F", "G", "F", "G", ...commandMarkers(terminal, line)]);
    const document = await terminal.run("cat <<X\ra;b\rX");
    expect(document.output).toBe("a;b\r\n");
    expect(document.markers).toEqual([
      "F",
      "G",
      "F",
      "G",
      ...commandMarkers(terminal, "cat <<X\na;b\nX"),
    ]);
    expect(document.text).toMatch(/more> /);
  });

  test("a line that the history does not have is not told", async () => {
    await using terminal = await start("HISTCONTROL=ignoreboth; HISTTIMEFORMAT='%F %T '");
    const known = commandMarkers(terminal, "echo a").slice(1);
    expect((await terminal.run("echo a")).markers).toEqual(["E;echo a", ...known]);
    expect((await terminal.run("echo a")).markers).toEqual(known);
    expect((await terminal.run(" echo a")).markers).toEqual(known);
    await terminal.run("set +o history");
    expect((await terminal.run("echo b")).markers).toEqual(known);
  });

  test("a comment and a mistake are no commands", async () => {
    await using terminal = await start("");
    expect((await terminal.run("# nothing")).markers).toEqual(promptMarkers(terminal.home));
    expect((await terminal.run("echo )")).markers).toEqual(promptMarkers(terminal.home));
  });
});

describe("prompts", () => {
  test("prompt commands find status, pipe status and last argument", async () => {
    const show = 'echo "[$? ${PIPESTATUS[*]} $_]"';
    await using terminal = await start(`PROMPT_COMMAND=('${show}' '${show}')`);
    const seen = await terminal.run("true | (exit 3) | (exit 4)");
    expect(seen.text).toMatch(/\[4 0 3 4 \S*\]\r\n\[4 0 3 4 \S*\]\r\n/);
    expect((await terminal.run("! echo a last")).text).toMatch(/\[1 0 last\]\r\n\[1 0 last\]/);
    expect((await terminal.run('echo "$?" "${PIPESTATUS[@]}" "$_"')).output).toBe("1 0 last\r\n");
  });

  test("what prompt commands print is no output", async () => {
    await using terminal = await start("PROMPT_COMMAND='echo before the prompt'");
    const seen = await terminal.run("echo out");
    expect(seen.output).toBe("out\r\n");
    expect(seen.text).toContain("before the prompt");
  });

  test.for([
    ["a text", "PROMPT_COMMAND='PS1=\"\\W $((++N))\\$ \"'"],
    ["an array", "PROMPT_COMMAND=(':' 'PS1=\"\\W $((++N))\\$ \"; PS2=\"$N> \"')"],
  ] as const)("a prompt that is rewritten by %s gets markers each time", async ([, bashrc]) => {
    await using terminal = await start(bashrc);
    for (const line of ["echo a", "echo b", "echo c"]) {
      const seen = await terminal.run(line);
      expect(seen.markers).toEqual(commandMarkers(terminal, line));
      expect(seen.areGood).toBe(true);
    }
    expect((await terminal.run('echo "$N"')).output).toBe("4\r\n");
  });

  test("markers come back when prompts and hooks are replaced", async () => {
    await using terminal = await start("");
    await terminal.run("PS1='new> '; PS2='' PS0='' ");
    expect((await terminal.run("echo a")).markers).toEqual(commandMarkers(terminal, "echo a"));
    for (const change of ["PROMPT_COMMAND=true", "PROMPT_COMMAND+=(true)"]) {
      await terminal.run(change);
      await terminal.run("echo between");
      expect((await terminal.run("echo b")).markers).toEqual(commandMarkers(terminal, "echo b"));
    }
    // Without hooks and prompts it takes a command to notice.
    await terminal.press("unset PROMPT_COMMAND PS1 PS2\recho c\r");
    expect((await terminal.run("echo d")).markers).toEqual(commandMarkers(terminal, "echo d"));
  });

  test("what cannot be changed is left alone", async () => {
    await using terminal = await start("readonly PROMPT_COMMAND='true' HISTTIMEFORMAT='%T '");
    const seen = await terminal.run("echo a");
    expect(seen.markers).toEqual(["C", "D;0", "A", "B"]);
    expect(seen.text).not.toContain("readonly");
  });

  test("a DEBUG trap sees the typed command as the first after the prompt", async () => {
    await using terminal = await start(
      `preexec() { if [[ $ready ]]; then ready=; echo "<$BASH_COMMAND>"; fi; }
       trap preexec DEBUG; PROMPT_COMMAND='ready=; echo prompt; ready=1'`,
    );
    await terminal.run("true");
    expect((await terminal.run("echo one; echo two")).output).toBe("<echo one>\r\none\r\ntwo\r\n");
  });
});

describe("options", () => {
  test.for([
    ["set -u"],
    ["set -e"],
    ["set -o vi"],
    ["set -o pipefail; set -E; trap 'echo trapped' ERR"],
    ["shopt -s nullglob failglob extglob; IFS=_n; set -f"],
    [
      "printf() { echo fake; }; history() { echo fake; }; local() { echo fake; }; alias echo='echo '",
    ],
  ] as const)("markers are right after %s", async ([bashrc]) => {
    await using terminal = await start(bashrc);
    const seen = await terminal.run("! echo a[1]");
    expect(seen.markers).toEqual(commandMarkers(terminal, "! echo a[1]", 1));
    expect(seen.areGood).toBe(true);
    expect(seen.text).not.toMatch(/__nacre|trapped|fake/);
  });

  test("a trace shows nothing of the markers", async () => {
    await using terminal = await start("PS4='+trace '");
    await terminal.run("set -x");
    const seen = await terminal.run("echo a");
    expect(seen.output).toBe("+trace echo a\r\na\r\n");
    expect(terminal.output).not.toContain("__nacre");
  });

  test("nothing is exported with set -a, and no prompt with markers", async () => {
    await using terminal = await start("set -a; export PS1='own> ' PS2 PS0; own=1");
    await terminal.run("true");
    const { output } = await terminal.run("env");
    expect(output).toContain("own=1");
    expect(output).not.toContain("__nacre");
    expect((await terminal.run("bash --norc -c 'compgen -A function'")).output).toBe("");
  });

  test("prompts that are not expanded get no markers", async () => {
    await using terminal = await start("");
    const from = terminal.output.length;
    await terminal.type("PS1='plain> '; shopt -u promptvars\r");
    await terminal.untilText("plain> ", from + 40);
    await terminal.type("shopt -s promptvars\r");
    await terminal.untilMarker("B", terminal.markers.length);
    expect(terminal.output).not.toContain("__nacre");
    expect((await terminal.run("echo a")).markers).toEqual(commandMarkers(terminal, "echo a"));
  });

  test("prompts that are expanded elsewhere are silent", async () => {
    await using terminal = await start("PS1='own> '");
    const seen = await terminal.run('echo "$(echo "${PS1@P}")"');
    // oxlint-disable-next-line no-control-regex -- bash puts these around what has no width
    expect(seen.output.replace(/[\x01\x02]/g, "")).toBe("own> \r\n");
    expect((await terminal.run("true")).areGood).toBe(true);
  });
});
