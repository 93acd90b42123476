import { RAW } from "../../pty/contract/pty-fixtures.ts";
import type { PtyExit } from "../../pty/pty.ts";

export interface SurvivalCase {
  readonly name: string;
  /** `$1` is the file with everything it wrote, `$2` the one that ends it. */
  readonly script: string;
  readonly exit: Pick<PtyExit, "exitCode" | "signal" | "drained">;
}

const UNTIL_TOLD = 'while [ ! -e "$2" ]';

const drained = true;

/** What one daemon starts first; programs that end at once are started in each of its lives. */
export const SURVIVAL_CASES: readonly SurvivalCase[] = [
  {
    name: "shell",
    script: `i=0; ${UNTIL_TOLD}; do i=$((i+1)); sh -c "echo command $i; ls /" | tee -a "$1"; done; exit 11`,
    exit: { exitCode: 11, drained },
  },
  { name: "flood", script: 'exec cat "$1"', exit: { exitCode: 0, drained } },
  {
    name: "sleeping",
    script: `${UNTIL_TOLD}; do sleep 0.05; done; printf awake | tee -a "$1"; exit 12`,
    exit: { exitCode: 12, drained },
  },
  {
    name: "full-screen",
    script: `i=0; printf '\\033[?1049h' | tee -a "$1"; ${UNTIL_TOLD}; do i=$((i+1)); printf '\\033[H\\033[2J%s\\033[7mline\\033[0m' $i | tee -a "$1"; done; kill -TERM $$`,
    exit: { signal: "SIGTERM", drained },
  },
  {
    name: "double-fork",
    script: `trap "" HUP; (setsid sh -c '${UNTIL_TOLD}; do echo forked | tee -a "$1"; sleep 0.01; done' sh "$1" "$2" &); exit 13`,
    exit: { exitCode: 13, drained: false },
  },
  {
    name: "stopped",
    script: `printf before | tee -a "$1"; kill -STOP $$; printf after | tee -a "$1"; exit 14`,
    exit: { exitCode: 14, drained },
  },
  {
    name: "background",
    script: `set -m; (${UNTIL_TOLD}; do echo background | tee -a "$1"; sleep 0.01; done) & wait; exit 15`,
    exit: { exitCode: 15, drained },
  },
].map(({ script, ...rest }) => ({ ...rest, script: `${RAW}; ${script}` }) as SurvivalCase);

/** A program that ends at once. */
export const quickCase = (name: string): SurvivalCase => ({
  name,
  script: `${RAW}; printf '%s\\n' "$1" | tee -a "$1"; exit 16`,
  exit: { exitCode: 16, drained },
});
