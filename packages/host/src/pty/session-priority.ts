import { writeFileSync } from "node:fs";

/** The nice value of programs that give way: they get what other sessions leave of a processor. */
const GIVING_WAY = 19;

/**
 * Lets Linux prefer other sessions to that of a process, or not; tells whether it does so now. It weighs sessions
 * against each other, so ten programs in terminals of their own count ten times as much as the host that records them.
 */
export function setGivingWay(pid: number, isGivingWay: boolean): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(isGivingWay ? GIVING_WAY : 0));
    return true;
  } catch {
    // A kernel that weighs processes only has no such file, and it may be asked a few times a second at most.
    return false;
  }
}
