// How daemon and keeper introduce themselves to each other.
import { readFileSync } from "node:fs";
import { NacreError } from "@nacre/contracts/plain";
import { readProcess } from "../pty/process-table.ts";
import type { ProcessIdentity } from "../pty/pty.ts";
import { malformedFrame, parseJsonPayload, WIRE_VERSION } from "./frames.ts";

/** Who speaks. Fields that are not known are ignored, so that newer ones may say more. */
export interface Hello extends ProcessIdentity {
  readonly wireVersion: number;
  /** The version of the product. */
  readonly version: string;
  /** Tells a process from one with the same number before the machine was started again. */
  readonly bootId: string;
}

/** What this process says of itself. */
export function createHello(version: string): Hello {
  const { pid } = process;
  const startTicks = readProcess(pid)?.startTicks ?? 0;
  return { wireVersion: WIRE_VERSION, version, pid, startTicks, bootId: readBootId() };
}

/** Reads what the other says of itself; refuses one that speaks another wire. */
export function parseHello(payload: Uint8Array): Hello {
  const { wireVersion, version, pid, startTicks, bootId } = parseJsonPayload(payload);
  if (typeof wireVersion !== "number") throw malformedFrame("a hello without a version");
  if (wireVersion !== WIRE_VERSION) {
    const message = `the wire has version ${WIRE_VERSION} here and ${wireVersion} there`;
    throw new NacreError("unsupported", message, {
      suggestion: "End the programs of the older version with its own `nacre stop`, then go on.",
      details: { wireVersion: WIRE_VERSION },
    });
  }
  if (typeof version !== "string" || typeof bootId !== "string")
    throw malformedFrame("half a hello");
  if (typeof pid !== "number" || typeof startTicks !== "number")
    throw malformedFrame("half a hello");
  return { wireVersion, version, pid, startTicks, bootId };
}

/** Names this run of the machine. */
export function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return ""; // Other systems have no such file; there the start time of a process is no ticks since boot.
  }
}
