// The system programs that tests use, each with the Debian package that has it. Runs on Node 20.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** A test that needs a program which is not here is skipped with its reason, and fails where CI=true. */
export const PROGRAMS = [
  { program: "setsid", debianPackage: "util-linux" },
  { program: "zsh", debianPackage: "zsh" },
  { program: "fish", debianPackage: "fish" },
  { program: "ps", debianPackage: "procps" },
  { program: "strace", debianPackage: "strace" },
  { program: "unshare", debianPackage: "util-linux" },
  { program: "mount", debianPackage: "mount" },
  { program: "tmux", debianPackage: "tmux" },
  { program: "less", debianPackage: "less" },
  { program: "vim", debianPackage: "vim" },
  { program: "python3", debianPackage: "python3" },
  { program: "ssh-keygen", debianPackage: "openssh-client" },
  { program: "gpg", debianPackage: "gnupg" },
  { program: "openssl", debianPackage: "openssl" },
  { program: "curl", debianPackage: "curl" },
  { program: "wget", debianPackage: "wget" },
  { program: "zip", debianPackage: "zip" },
  { program: "chromium", debianPackage: "chromium" },
  { program: "setpriv", debianPackage: "util-linux" },
  { program: "ss", debianPackage: "iproute2" },
];

/** @param {string} program @returns {boolean} */
export function hasProgram(program) {
  return (process.env["PATH"] ?? "").split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false; // Not in this directory; the next one may have it.
    }
  });
}

/** @returns {{ program: string, debianPackage: string }[]} */
export function missingPrograms() {
  return PROGRAMS.filter(({ program }) => !hasProgram(program));
}
