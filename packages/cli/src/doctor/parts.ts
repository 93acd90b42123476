import type { HostInfo } from "@nacre/contracts";
import { finding, type Finding } from "./finding.ts";

/** What the daemon says of its parts that do not work as they should. */
export function partFindings(host: HostInfo): readonly Finding[] {
  return [recordings(host), ...keeper(host), ...damage(host), ...restarts(host)];
}

function recordings({ storage }: HostInfo): Finding {
  const { state, reason = "", since = "", suggestion = "" } = storage;
  if (state === "ok") return finding("recordings", "are written as they should");
  const isLow = state === "low";
  const found = isLow
    ? `are written, but ${reason}`
    : `cannot be written since ${since}: ${reason}`;
  return finding("recordings", found, { state: isLow ? "warning" : "wrong", advice: suggestion });
}

function keeper({ keeper: found }: HostInfo): readonly Finding[] {
  if (found === undefined) return [];
  const { state, pid } = found;
  if (state === "ok") return [finding("keeper", `pid ${pid}, answers`)];
  if (state === "lost") {
    const advice = "The next program starts another; look at keeper.log for why it ended.";
    return [finding("keeper", "has ended, and so have its programs", { state: "warning", advice })];
  }
  const advice = `Let it go on with: kill -CONT ${pid}`;
  return [finding("keeper", `pid ${pid}, does not answer`, { state: "wrong", advice })];
}

function damage({ damagedRecordings: count = 0 }: HostInfo): readonly Finding[] {
  if (count === 0) return [];
  const advice = "Run `nacre verify --all`, and export what is good of each that it names.";
  return [finding("damage", `in ${count} recordings`, { state: "warning", advice })];
}

function restarts({ restarts: counts = {} }: HostInfo): readonly Finding[] {
  const told = Object.entries(counts).map(([part, count]) => `${part} ${count} times`);
  if (told.length === 0) return [];
  const advice = "Nothing is missing; daemon.log has the reason, which is worth a report.";
  return [finding("restarts", told.join(", "), { state: "warning", advice })];
}
