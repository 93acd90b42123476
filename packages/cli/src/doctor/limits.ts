import { finding, type Finding, type Library } from "./finding.ts";

/** Looks by what programs can be limited that are started from here. */
export function checkLimits({ findLimits }: Library): Finding {
  const { mechanism, reason, controllers, hasProcesses } = findLimits();
  if (mechanism === "cgroup") {
    return finding("limits", `a cgroup for each terminal (${controllers.join(", ")})`);
  }
  const processes = hasProcesses ? "" : ", not for the number of processes of root";
  const found =
    mechanism === "rlimit"
      ? `for each process (rlimits)${processes}; no cgroup: ${reason}`
      : "none";
  if (mechanism === "rlimit") return finding("limits", found);
  const advice = "Install util-linux, which has prlimit, to limit what programs may use.";
  return finding("limits", `${found}: ${reason}`, { state: "warning", advice });
}
