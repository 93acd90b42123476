/** What is recorded: a program on a terminal of 80 by 24, and what is typed once it is quiet. */
export interface Scenario {
  readonly name: string;
  /** Run by a shell in the empty home directory before. */
  readonly prepare?: string;
  readonly command: readonly string[];
  readonly keys: readonly string[];
  /** Starts bash with our own integration. */
  readonly isIntegrated?: boolean;
  /** Whether it has to reach other machines. */
  readonly isOnline?: boolean;
}

const ENTER = "\r";
const ESC = "\u001b";
const UP = `${ESC}OA`;
const DOWN = `${ESC}OB`;

const CODE = String.raw`for i in $(seq 1 120); do
  echo "  \"key-$i\": { \"value\": $((i * i)), \"names\": [\"один\", \"二\", \"three\"] },"
done | { echo "{"; cat; echo "  \"last\": null"; echo "}"; } > data.json`;

const HISTORY = String.raw`git init -q .; git config user.name Somebody; git config user.email somebody@example.org
for i in $(seq 1 40); do
  echo "$i" > file; git add file
  git commit -q --date=2026-01-01T00:00:00Z -m "Change number $i" -m "With a few words about it, and an emoji: 🚀"
done`;

const LETTERS = String.raw`{ for i in $(seq 1 60); do
  echo "$i 你好，世界。 こんにちは世界 안녕하세요 세계 $i"
  echo "$i 😀🚀👍🏽👩‍💻🇩🇪❤️ e\u0301 n\u0303 Å Ж λ ا ب ت"
  printf '%s\033[3%sm全角\033[0m|\033[7m反転\033[0m|│─┼█▓░\n' "$i" "$((i % 8))"
done; } > letters.txt`;

/** All recordings. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "vim",
    prepare: CODE,
    command: ["vim", "-u", "NONE", "--cmd", "syntax on | set number hlsearch ruler", "data.json"],
    keys: [
      ["\u0006", "\u0006", "\u0002", "/key-9", ENTER, "n", "n", "N"],
      ["ihello 世界 😀", ENTER, "more", ESC, "dd", "5dd", "u", "p", "yy", "10p"],
      [":split", ENTER, "G", ":vsplit", ENTER, "gg", "\u0017w", "\u0004", "\u0015"],
      [":set list", ENTER, ":%s/value/VALUE/g", ENTER, "gg", "v5j", ">", ":qa!", ENTER],
    ].flat(),
  },
  {
    name: "htop",
    command: ["htop", "--delay=2"],
    keys: [DOWN, DOWN, UP, "t", "t", "I", "P", "M", "/se", ESC, `${ESC}OQ`, DOWN, DOWN, ESC, "q"],
  },
  {
    name: "top",
    command: ["top", "-d", "0.6"],
    keys: ["1", "c", "x", "b", "z", "V", "M", "P", "h", "q", "q"],
  },
  {
    name: "less",
    prepare: CODE,
    command: ["less", "-N", "data.json"],
    keys: [
      " ",
      " ",
      "b",
      "/key-7",
      ENTER,
      "n",
      "n",
      "G",
      "g",
      "j",
      "j",
      "k",
      "-S",
      ENTER,
      "u",
      "d",
      "q",
    ],
  },
  {
    name: "pager",
    prepare: HISTORY,
    command: ["sh", "-c", "git log --color=always --stat | LESS= less -R"],
    keys: [" ", " ", " ", "b", "/number 7", ENTER, "G", "k", "k", "g", "q"],
  },
  {
    name: "npm",
    prepare: 'echo \'{"name":"x","version":"1.0.0"}\' > package.json',
    command: ["npm", "install", "--no-audit", "--no-fund", "--loglevel=http", "express", "chalk"],
    keys: [],
    isOnline: true,
  },
  {
    name: "letters",
    prepare: LETTERS,
    command: ["sh", "-c", "cat letters.txt; tput setaf 2; head -20 letters.txt | nl; tput sgr0"],
    keys: [],
  },
  {
    name: "tmux",
    prepare: `${CODE}\nprintf 'set -g status-right ""\\nset -g default-shell /bin/sh\\nset -g assume-paste-time 0\\n' > tmux.conf`,
    command: ["tmux", "-u", "-L", "recorded", "-f", "tmux.conf"],
    keys: [
      ["ls -ln", ENTER, "\u0002%", "cat data.json", ENTER, '\u0002"', "seq 1 50", ENTER],
      ["\u0002o", "\u0002[", `${ESC}[5~`, "q", "\u0002c", "echo 世界 😀", ENTER, "\u0002n"],
      ["\u0002z", "seq 1 30", ENTER, "\u0002z", "\u0002w", "q", "\u0002:", "kill-server", ENTER],
    ].flat(),
  },
  {
    name: "bash",
    prepare: "echo \"PS1='$ '\" > .bashrc",
    command: ["/usr/bin/bash"],
    isIntegrated: true,
    keys: [
      [
        "echo hello",
        ENTER,
        "false",
        ENTER,
        "ls --color=always /usr",
        ENTER,
        "cd /usr/share",
        ENTER,
      ],
      ["for i in 1 2 3; do", ENTER, 'echo "line $i; of three"', ENTER, "done", ENTER],
      [
        "cat <<END",
        ENTER,
        "世界 and 😀",
        ENTER,
        "END",
        ENTER,
        "printf '\\033]2;a title\\007'",
        ENTER,
      ],
      ["echo one; sleep 0.1; echo two", ENTER, "sleep 100", "\u0003", "seq 1 100", ENTER],
      [
        "printf '\\033[31mred\\033[0m %s\\n' é 字",
        ENTER,
        "ls --color=always /usr/bin | head -300 | column -c 78",
        ENTER,
      ],
      [
        "nonsense",
        ENTER,
        "cd",
        ENTER,
        "\u0012hello",
        "\u0007",
        "less /etc/protocols",
        ENTER,
        " ",
        "q",
        "exit",
        ENTER,
      ],
    ].flat(),
  },
];
