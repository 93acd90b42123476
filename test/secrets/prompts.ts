/**
 * Programs that ask for a secret. sudo, doas, mysql and ssh hide a line by the settings of the terminal as those do that
 * are here, and sudo with `pwfeedback` and other libraries for questions use the words that those use that are here.
 *
 * Nobody can know that a secret is typed where a program takes single keys and does not say what for (`read -s -n 1`
 * without a prompt), where a dialog shows no field behind its words (`dialog --passwordbox`), where it shows what is
 * typed, and where the secret is typed before it is asked for. Then whoever types it has to say that it is one.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a program may use that asks for a secret. */
interface Setting {
  /** A directory of its own. */
  readonly directory: string;
  /** A server on this machine that lets nobody in. */
  readonly server: string;
  /** What will be typed. */
  readonly secret: string;
}

/** One way to ask for a secret. */
export interface Prompt {
  readonly name: string;
  /** Without these it cannot be asked. */
  readonly needs: readonly string[];
  /** Whether these are too large to be installed for a test: then it is skipped where they are missing. */
  readonly isRare?: true;
  /** What to run; prepares what is needed for that. */
  readonly start: (setting: Setting) => readonly string[];
  /** What is asked first, and the answer to it. */
  readonly before?: readonly [question: string, answer: string];
  /** What the program asks with. */
  readonly asks: string;
  /** What it says once it has the secret. */
  readonly says: string;
}

const script = (shell: string, line: string): readonly string[] => [shell, "-c", line];

/** As somebody whom nobody lets do anything without a password. */
const asNobody = (line: string): readonly string[] =>
  process.getuid?.() === 0
    ? ["su", "nobody", "-s", "/bin/sh", "-c", line]
    : script("/bin/sh", line);

/** What gpg asks a passphrase for. */
const ENCRYPT = "-o - -a --symmetric /dev/null";

/** A key that can only be used with the secret. */
function lockedKey({ directory, secret }: Setting): string {
  const path = join(directory, "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-a", "1", "-N", secret, "-f", path]);
  return path;
}

function programIn({ directory }: Setting, name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

/** Shows a star for each key, as libraries for questions do. */
const STARS_IN_NODE = `
let count = 0;
process.stdin.setRawMode(true);
process.stdout.write("\\x1b[32m?\\x1b[0m \\x1b[1mPassword:\\x1b[0m ");
process.stdin.on("data", (keys) => {
  for (const key of keys.toString()) {
    if (key === "\\r") {
      process.stdout.write("\\r\\ngot " + count + "\\r\\n");
      process.exit();
    }
    count++;
    process.stdout.write("*");
  }
});`;

/** Shows a star for each key, as sudo does where it is told to. */
const STARS_IN_PYTHON = `
import os, termios, tty
before = termios.tcgetattr(0)
tty.setcbreak(0)
os.write(1, b"[sudo] password for ann: ")
count = 0
while (key := os.read(0, 1)) not in (b"\\r", b"\\n"):
    count += 1
    os.write(1, b"*")
termios.tcsetattr(0, termios.TCSANOW, before)
print("\\ngot", count)`;

/** Programs that hide what is typed by the settings of the terminal, and read whole lines. */
const BY_SETTINGS: readonly Prompt[] = [
  {
    name: "read -s of bash",
    needs: ["bash"],
    start: () => script("bash", "read -rs -p 'Password: ' x; echo; echo got ${#x}"),
    asks: "Password: ",
    says: "got 24",
  },
  {
    name: "read -s of zsh",
    needs: ["zsh"],
    start: () => script("zsh", "read -rs 'x?Password: '; echo; echo got ${#x}"),
    asks: "Password: ",
    says: "got 24",
  },
  {
    name: "stty -echo of a script that says nothing",
    needs: ["dash", "stty"],
    start: () => script("dash", "stty -echo; echo ready; read -r x; stty echo; echo got ${#x}"),
    asks: "ready",
    says: "got 24",
  },
  {
    name: "getpass of Python",
    needs: ["python3"],
    start: () => [
      "python3",
      "-c",
      "import getpass, sys; print('got', len(getpass.getpass('Kennwort für ann: ')))",
    ],
    asks: "Kennwort für ann: ",
    says: "got 24",
  },
  {
    name: "git over HTTP",
    needs: ["git"],
    start: ({ server }) => ["git", "ls-remote", `${server.replace("//", "//ann@")}/some.git`],
    asks: "Password for 'http://ann@",
    says: "Authentication failed",
  },
  {
    name: "ssh-keygen with a locked key",
    needs: ["ssh-keygen"],
    start: (setting) => ["ssh-keygen", "-y", "-f", lockedKey(setting)],
    asks: "Enter passphrase: ",
    says: "ssh-ed25519 ",
  },
  {
    name: "ssh-add with a locked key",
    needs: ["ssh-keygen", "ssh-agent", "ssh-add"],
    start: (setting) => ["ssh-agent", "ssh-add", lockedKey(setting)],
    asks: "Enter passphrase for ",
    says: "Identity added",
  },
  {
    name: "su",
    needs: ["su"],
    start: () => asNobody("su"),
    asks: "Password: ",
    says: "\n",
  },
  {
    name: "passwd",
    needs: ["su", "passwd"],
    start: () => asNobody("passwd"),
    asks: "Current password: ",
    says: "\n",
  },
  {
    name: "psql",
    needs: ["psql"],
    isRare: true,
    start: () => ["psql", "-W", "-h", "127.0.0.1", "-p", "1", "-U", "ann", "some"],
    asks: "Password: ",
    says: "refused",
  },
  {
    name: "gpg that asks itself",
    needs: ["gpg"],
    start: ({ directory }) =>
      script("sh", `exec gpg --homedir ${directory} --pinentry-mode loopback ${ENCRYPT}`),
    asks: "Enter passphrase: ",
    says: "BEGIN PGP MESSAGE",
  },
  {
    name: "openssl enc",
    needs: ["openssl"],
    start: () => ["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-a", "-in", "/dev/null"],
    asks: "enter AES-256-CBC encryption password:",
    says: "Verifying - ",
  },
  {
    name: "openssl with a key",
    needs: ["openssl"],
    start: () => ["openssl", "genpkey", "-algorithm", "ed25519", "-aes256"],
    asks: "Enter PEM pass phrase:",
    says: "Verifying - ",
  },
  {
    name: "curl",
    needs: ["curl"],
    start: ({ server }) => ["curl", "-s", "-w", "%{http_code}\n", "-u", "ann", server],
    asks: "Enter host password for user 'ann':",
    says: "401",
  },
  {
    name: "wget",
    needs: ["wget"],
    start: ({ server }) => ["wget", "--user=ann", "--ask-password", "-O", "-", server],
    asks: "Password for user ",
    says: "401 Unauthorized",
  },
  {
    name: "zip",
    needs: ["zip"],
    start: ({ directory }) => ["zip", "-e", join(directory, "some.zip"), "/dev/null"],
    asks: "Enter password: ",
    says: "Verify password: ",
  },
];

/** Programs that take single keys, as any editor does: only their words tell that they ask for a secret. */
const BY_WORDS: readonly Prompt[] = [
  {
    name: "read -s of fish",
    needs: ["fish"],
    start: () => script("fish", "read -s -P 'Password: ' x; echo; echo got (string length $x)"),
    asks: "Password: ",
    says: "got 24",
  },
  {
    name: "a question with stars",
    needs: ["node"],
    start: (setting) => ["node", programIn(setting, "ask.mjs", STARS_IN_NODE)],
    asks: "Password: ",
    says: "got 24",
  },
  {
    name: "a password with stars, as of sudo",
    needs: ["python3"],
    start: (setting) => ["python3", programIn(setting, "ask.py", STARS_IN_PYTHON)],
    asks: "[sudo] password for ann: ",
    says: "got 24",
  },
  {
    name: "systemd-ask-password",
    needs: ["systemd-ask-password"],
    isRare: true,
    start: () =>
      script("sh", "systemd-ask-password --timeout=60 Password: >/dev/null && echo got it"),
    asks: "Password: ",
    says: "got it",
  },
  {
    name: "npm login",
    needs: ["npm"],
    start: ({ server }) => ["npm", "login", "--auth-type=legacy", `--registry=${server}/`],
    before: ["Username: ", "ann"],
    asks: "Password: ",
    says: "npm error",
  },
  {
    name: "the dialog of pinentry",
    needs: ["gpg", "pinentry-curses"],
    isRare: true,
    start: ({ directory }) =>
      script("sh", `export GPG_TTY=$(tty); exec gpg --homedir ${directory} ${ENCRYPT}`),
    asks: "Passphrase: ",
    // It complains that a passphrase should have other characters, or asks for it again.
    says: "assphrase",
  },
];

/** All of them. */
export const PROMPTS: readonly Prompt[] = [...BY_SETTINGS, ...BY_WORDS];
