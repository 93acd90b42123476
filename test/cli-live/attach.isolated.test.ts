import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PATIENCE, UserScreen } from "./user-screen.ts";

test("a terminal is attached, typed into, left with the keys that are shown, and attached again", async () => {
  await using user = await UserScreen.open();
  user.result("new", "--name", "work", "--", "bash", "--norc");
  const before = await user.ownModes();
  await user.line("echo kept; $NACRE attach work");
  await user.sees(/work · Ctrl-\] d detaches.*yours/);
  await user.line("x=remembered; printf '\\033[38;2;1;2;3mcolour\\033[m\\n'");
  await user.sees(/^colour/m);
  expect(await user.colors()).toContain("\x1b[38;2;1;2;3m");
  await user.keys("C-]", "d");
  await user.sees("[detached from work]");
  await user.worksAgain();
  expect(await user.ownModes()).toBe(before);
  await user.line("$NACRE attach work");
  await user.sees(/work · Ctrl-\] d detaches/);
  await user.line("echo is-$x");
  await user.sees(/^is-remembered/m);
  await user.line("exit 7");
  await user.sees("[work ended: exit 7]");
  await user.line("echo code-$?");
  await user.sees(/^code-7/m);
  expect(await user.history()).toMatch(/^kept/m);
});

test("an editor is used over a resize, a detach and another attach, with its modes set and taken back", async () => {
  await using user = await UserScreen.open();
  user.result("new", "--name", "edit", "--", "vim", "-u", "NONE", "-c", "set mouse=a nocp");
  await user.line("$NACRE attach edit");
  await user.sees(/^~/m);
  await user.has("alternate_on", "1");
  await user.has("mouse_any_flag", "1");
  await user.keys("i");
  await user.type("first line");
  await user.sees(/^first line/m);
  await user.resize(70, 20);
  await expect.poll(() => user.size("edit"), PATIENCE).toEqual({ cols: 70, rows: 20 });
  await user.keys("C-]", "d");
  await user.sees("[detached from edit]");
  expect(await user.flag("alternate_on")).toBe("0");
  expect(await user.flag("mouse_any_flag")).toBe("0");
  await user.worksAgain();
  await user.line("$NACRE attach edit");
  await user.sees(/^first line/m);
  await user.has("alternate_on", "1");
  await user.keys("Escape");
  await user.type(":q!");
  await user.keys("Enter");
  await user.sees("[edit ended: exit 0]");
  await user.has("alternate_on", "0");
  await user.worksAgain();
});

test("what the program showed stays above the shell of the user, without the message that lay over it", async () => {
  await using user = await UserScreen.open();
  const show = "seq 1 40; printf 'last row'; cat";
  user.result("new", "--name", "rows", "--size", "100x30", "--", "sh", "-c", show);
  await user.line("$NACRE attach rows");
  await user.sees(/rows · Ctrl-\] d detaches/);
  await user.keys("C-]", "d");
  await user.sees("[detached from rows]");
  await user.worksAgain();
  const shown = await user.history();
  expect(shown).toMatch(/^39\n40\nlast row\n\[detached from rows\]/m);
  expect(shown).not.toContain("Ctrl-] d detaches");
});

test("a program that counts rows from a margin leaves none behind", async () => {
  await using user = await UserScreen.open();
  const show = "printf 'top\\033[5;10r\\033[?6hinside'; cat";
  user.result("new", "--name", "margin", "--", "sh", "-c", show);
  await user.line("$NACRE attach margin");
  await user.has("origin_flag", "1");
  await user.keys("C-]", "d");
  await user.sees("[detached from margin]");
  expect(await user.flag("origin_flag")).toBe("0");
  expect(await user.flag("scroll_region_upper")).toBe("0");
  expect(await user.history()).toMatch(/^top/m);
});

test("the key that is typed twice reaches the program, and pasted keys are not for attach", async () => {
  await using user = await UserScreen.open();
  user.result("new", "--name", "raw", "--", "sh", "-c", "stty raw -echo; echo up; cat -v");
  await user.line("$NACRE attach raw");
  await user.sees(/^up/m);
  await user.keys("C-]", "C-]");
  await user.sees("^]");
  await user.type("\x1b[200~paste \x1dd\x1b[201~");
  await user.sees("^[[200~paste ^]d^[[201~");
  await user.keys("C-]", "d");
  await user.sees("[detached from raw]");
  expect(user.nacre("screen", "raw").stdout).toContain("^[[200~paste ^]d^[[201~");
});

test("questions of programs are answered by the host alone", async () => {
  await using user = await UserScreen.open();
  const ask = "stty raw -echo; printf 'ask\\033[c\\033[6n\\033]11;?\\007\\033[>q'; cat -v";
  user.result("new", "--name", "ask", "--size", "100x30", "--", "sh", "-c", `read x; ${ask}`);
  await user.line("$NACRE attach ask");
  await user.sees(/ask · Ctrl-\] d detaches/);
  await user.line("go");
  await user.sees(/ask.*\^\[\[\?/);
  await user.type("end.");
  await user.sees("end.");
  const answers = (await user.text()).match(/\^\[\[\?[\d;]*c/g) ?? [];
  expect(answers).toHaveLength(1);
});

test("who only looks types nothing and changes no size", async () => {
  await using user = await UserScreen.open();
  user.result("new", "--name", "look", "--size", "90x20", "--", "bash", "--norc");
  await user.line("$NACRE attach --read-only look");
  await user.sees(/look · read only/);
  await user.type("echo no");
  await user.sees("read only: nothing is typed");
  await user.keys("C-]", "t");
  await user.sees(/read only · Ctrl-\] d detaches/);
  await user.keys("C-]", "d");
  await user.sees("[detached from look]");
  expect(user.nacre("screen", "look").stdout).not.toContain("echo");
  expect(user.size("look")).toEqual({ cols: 90, rows: 20 });
});

test("who may only look is told how to", async () => {
  await using user = await UserScreen.open();
  user.result("new", "--name", "look", "--", "cat");
  const { token } = user.result("tokens", "create", "viewer");
  writeFileSync(join(user.home, "viewer"), `export NACRE_TOKEN=${String(token)}\n`);
  await user.line(". ./viewer; $NACRE attach look");
  await user.sees("Attach with --read-only.");
  await user.line("$NACRE attach --read-only look");
  await user.sees(/look · read only/);
  await user.keys("C-]", "d");
  await user.sees("[detached from look]");
  expect(await user.text()).not.toContain("moveClaim");
});

test("a terminal that somebody else holds is told of, taken over and given back", async () => {
  await using user = await UserScreen.open();
  user.result("new", "--name", "held", "--input", "holder", "--", "cat");
  user.result("handover", "held", "--to", "session:agent-1");
  await user.line("$NACRE attach held");
  await user.sees(/held by the agent session agent-1 · 80×24/);
  await user.line("refused");
  await user.sees(/session agent-1 holds this terminal.*takes over/);
  await user.keys("C-]", "t");
  await user.sees(/you hold this terminal now.*gives it back/);
  await user.line("mine");
  await user.sees(/^mine\nmine/m);
  await user.keys("C-]", "g");
  await user.sees(/agent-1 holds this terminal now/);
  await user.keys("C-]", "d");
  await user.sees("[detached from held]");
  expect(await user.text()).not.toMatch(/^refused/m);
});

test("a terminal is created where there is none of the name", async () => {
  await using user = await UserScreen.open();
  await user.line("$NACRE attach -A notes");
  await user.sees(/notes · Ctrl-\] d detaches/);
  await user.keys("C-]", "d");
  await user.sees("[detached from notes]");
  expect(user.nacre("attach", "notes").stderr).toContain("needs a terminal");
});

test("P-A4: a terminal is not attached inside itself, directly or by way of another; another one is", async () => {
  await using user = await UserScreen.open();
  const nacre = user.environment["NACRE"] ?? "";
  user.result("new", "--name", "outer", "--", "bash", "--norc");
  user.result("new", "--name", "inner", "--", "bash", "--norc");
  await user.line("$NACRE attach outer");
  await user.sees(/outer · Ctrl-\] d detaches/);
  await user.line(`clear; PS1='out> '; ${nacre} attach`);
  await user.sees("attach would show it inside itself");
  await user.sees(/^ *→ Name another terminal/m);
  await user.line(`clear; ${nacre} attach outer`);
  await user.sees("attach would show it inside itself");
  await user.line(`clear; ${nacre} logs --follow outer`);
  await user.sees("logs --follow would show it inside itself");
  await user.line(`clear; ${nacre} attach inner --detach-keys ctrl-q`);
  await user.sees(/inner · Ctrl-Q detaches/i);
  await user.line(`clear; PS1='in> '; ${nacre} attach outer --detach-keys ctrl-y`);
  await user.sees("cannot be shown inside terminal:");
  await user.sees(/^ *→ Detach there first/m);
  await user.line("echo still-$((40+2))");
  await user.sees(/^still-42/m);
  await user.keys("C-q");
  await user.sees("[detached from inner]");
  await user.keys("C-]", "d");
  await user.hasLeft();
  await user.worksAgain();
  expect(await user.history()).toContain("[detached from outer]");
}, 120_000);

test("P-A4: events that are shown inside a terminal are those of others", async () => {
  await using user = await UserScreen.open();
  const nacre = user.environment["NACRE"] ?? "";
  const idOf = (name: string): string =>
    String(user.result("new", "--name", name, "--", "bash", "--norc")["id"]);
  const [outer, inner] = [idOf("outer"), idOf("inner")];
  await user.line("$NACRE attach outer");
  await user.sees(/outer · Ctrl-\] d detaches/);
  await user.line(`clear; PS1='out> '; ${nacre} events '${outer}.*'`);
  await user.sees("events would show it inside itself");
  await user.line(`clear; ${nacre} events`);
  // Following has begun once something of another one is seen.
  await expect
    .poll(async () => {
      user.nacre("send", inner, "x");
      return await user.text();
    }, PATIENCE)
    .toContain(inner.slice("terminal:".length));
  await user.keys("C-c");
  await user.line("echo over-$((40+2))");
  await user.sees(/^over-42/m);
  expect(await user.history()).not.toContain(`  ${outer.slice("terminal:".length)}`);
  await user.keys("C-]", "d");
}, 120_000);
