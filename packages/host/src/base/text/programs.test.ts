import { expect, test } from "vitest";
import { render } from "./testing/rendering.ts";

/** What real programs print on a terminal of 80 columns and 24 rows, and the lines that a person reads then. */
const PROGRAMS: readonly (readonly [name: string, output: string, lines: string[]])[] = [
  [
    "pip draws a progress bar over itself",
    "Collecting rich\r\n  Downloading rich.whl (243 kB)\r\n" +
      "\x1b[?25l     \x1b[38;5;237m━━━━━━━━━━\x1b[0m \x1b[32m0.0/243 kB\x1b[0m \x1b[31m?\x1b[0m eta \x1b[36m-:--:--\x1b[0m" +
      "\r\x1b[2K     \x1b[38;5;70m━━━━━━━━━━\x1b[0m \x1b[32m243/243 kB\x1b[0m \x1b[31m9.1 MB/s\x1b[0m eta \x1b[36m0:00:00\x1b[0m\r\n\x1b[?25h",
    [
      "Collecting rich",
      "  Downloading rich.whl (243 kB)",
      "     ━━━━━━━━━━ 243/243 kB 9.1 MB/s eta 0:00:00",
    ],
  ],
  [
    "npm spins and cleans up",
    "\x1b[1G\x1b[0K⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0K\r\nadded 42 packages, and audited 43 packages in 2s\r\n" +
      "\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0Kfound \x1b[32m\x1b[1m0\x1b[22m\x1b[39m vulnerabilities\r\n",
    ["added 42 packages, and audited 43 packages in 2s", "found 0 vulnerabilities"],
  ],
  [
    "cargo replaces its progress with what is done",
    "\x1b[1m\x1b[32m   Compiling\x1b[0m libc v0.2.1\r\n" +
      "\x1b[1m\x1b[36m    Building\x1b[0m [=>       ] 1/9: libc                    \r" +
      "\x1b[K\x1b[1m\x1b[32m   Compiling\x1b[0m serde v1.0.2\r\n" +
      "\x1b[1m\x1b[36m    Building\x1b[0m [====>    ] 4/9: serde                   \r" +
      "\x1b[K\x1b[1m\x1b[32m    Finished\x1b[0m dev in 3.1s\r\n",
    ["   Compiling libc v0.2.1", "   Compiling serde v1.0.2", "    Finished dev in 3.1s"],
  ],
  [
    "docker redraws its layers by moving up",
    "latest: Pulling from library/redis\r\n\r\n" +
      "\x1b[1A\x1b[2K\ra2abf6c4d29d: Pulling fs layer \r\x1b[1B\r\n\x1b[1A\x1b[2K\rc7a4e4382001: Waiting \r\x1b[1B" +
      "\x1b[2A\x1b[2K\ra2abf6c4d29d: Pull complete \r\x1b[2B\x1b[1A\x1b[2K\rc7a4e4382001: Pull complete \r\x1b[1B" +
      "Status: Downloaded newer image\r\n",
    [
      "latest: Pulling from library/redis",
      "a2abf6c4d29d: Pull complete",
      "c7a4e4382001: Pull complete",
      "Status: Downloaded newer image",
    ],
  ],
  [
    "git counts with carriage returns",
    "Receiving objects:   0% (1/900)\rReceiving objects:  50% (450/900)\rReceiving objects: 100% (900/900), 1.2 MiB, done.\r\n" +
      "Resolving deltas: 100% (7/7)\rResolving deltas: 100% (7/7), done.\r\n",
    ["Receiving objects: 100% (900/900), 1.2 MiB, done.", "Resolving deltas: 100% (7/7), done."],
  ],
  [
    "less shows a page on the alternate screen",
    "$ less a\r\n\x1b[?1049h\x1b[22;0;0t\x1b[?1h\x1b=\rline 1\r\nline 2\r\n\x1b[7m(END)\x1b[27m\x1b[K\r\x1b[K\x1b[?1l\x1b>\x1b[?1049l\x1b[23;0;0t$ ",
    ["line 1", "line 2", "$ less a", "$"],
  ],
  [
    "vim draws, edits and leaves",
    '$ vim f\r\n\x1b[?1049h\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[1;24r\x1b[?12h\x1b[?12l\x1b[27m\x1b[29m\x1b[m\x1b[H\x1b[2J\x1b[?25l\x1b[24;1H"f" 2L, 8B\x1b[2;1H▽\x1b[6n\x1b[2;1H  \x1b[1;1H' +
      "\x1bP+q436f\x1b\\one\r\ntwo\r\n\x1b[1m\x1b[34m~                   \x1b[3;1H~\x1b[m\x1b[1;1H\x1b[?25h\x1b[24;1H\x1b[K\x1b[24;1H:wq\r\x1b[?25l\x1b[?2004l\x1b[>4;m\x1b[24;1H\x1b[K\x1b[24;1H\x1b[?1l\x1b>\x1b[?1049l\x1b[?25h$ ",
    ["one", "two", "~", "$ vim f", "$"],
  ],
  [
    "clear forgets nothing",
    "$ make\r\nok\r\n$ clear\r\n\x1b[H\x1b[2J\x1b[3J$ ls\r\na  b\r\n",
    ["$ make", "ok", "$ clear", "$ ls", "a  b"],
  ],
  [
    "bash edits a line",
    "\x1b[?2004h\x1b]0;me@box: ~\x07\x1b[01;32mme@box\x1b[00m:\x1b[01;34m~\x1b[00m$ gti\b\x1b[K\b\x1b[Kit stauts\b\b\b\x1b[1P\x1b[C\x1b[1@u\r\n\x1b[?2004l\r",
    ["me@box:~$ git status"],
  ],
  [
    "readline inserts in the middle",
    "$ echo wrld\b\b\b\x1b[1@o\x1b[3C\r\nworld\r\n",
    ["$ echo world", "world"],
  ],
  [
    "readline edits a line that ran over",
    `$ echo ${"a".repeat(73)} \rbc\b\b\x1b[K\x1b[A\x1b[79Cb \rc\r\n`,
    [`$ echo ${"a".repeat(72)}bc`],
  ],
  [
    "zsh marks a missing line end and redraws its prompt",
    `no newline\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m${" ".repeat(79)}\r \r\r\x1b[0m\x1b[27m\x1b[24m\x1b[J% \x1b[K\x1b[?2004hl\bls\x1b[?2004l\r\r\nfile\r\n`,
    ["no newline%", "% ls", "file"],
  ],
  [
    "a long address is one line",
    `See https://example.com/${"path/".repeat(20)}end for more\r\n`,
    [`See https://example.com/${"path/".repeat(20)}end for more`],
  ],
  [
    "apt keeps a bar in the last row with a scroll region",
    "\r\n\x1b7\x1b[0;23r\x1b8\x1b[1ASetting up a\r\n\x1b7\x1b[24;0f\x1b[42m\x1b[30mProgress: [ 50%]\x1b[49m\x1b[39m [####....] \x1b8Setting up b\r\n" +
      "\x1b7\x1b[24;0f\x1b[42m\x1b[30mProgress: [100%]\x1b[49m\x1b[39m [########] \x1b8\r\n\x1b7\x1b[0;24r\x1b8\x1b[1A\x1b[Jdone\r\n",
    ["Setting up a", "Setting up b", "done"],
  ],
  [
    "dialog draws a box with line drawing",
    "\x1b[?1049h\x1b[1;1H\x1b(0\x0flqqk\x1b[2;1Hx\x1b(BOK\x1b(0x\x1b[3;1Hmqqj\x1b(B\x1b[?1049l",
    ["┌──┐", "│OK│", "└──┘"],
  ],
];

test.each(PROGRAMS)("%s", (_, output, lines) => {
  const { final, current } = render(output, { cols: 80, rows: 24 });
  expect([...final, ...current]).toEqual(lines);
});

test("top redraws in place and only its last state counts", () => {
  const frame = (load: string) =>
    `\x1b[H\x1b[39;49mtop - load ${load}\x1b[K\r\n\x1b[7m  PID COMMAND\x1b[m\x1b[K\r\n    1 init\x1b[K\r\n`;
  const { final, current } = render(frame("1.5") + frame("0.75") + frame("2"));
  expect(final).toEqual([]);
  expect(current).toEqual(["top - load 2", "  PID COMMAND", "    1 init"]);
});
