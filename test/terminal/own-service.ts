// A TerminalService of a test, over a host of the test.
import type { Host } from "@nacre/host";
import { detectShell, machineProbe, platformInfo } from "@nacre/host";
import { SessionService } from "../../packages/host/src/transports/terminal-service/session-service.ts";

/** What callbacks were told of one session. */
export interface Told {
  output: string;
  /** How it ended, once it did. */
  ended?: { readonly exitCode: number | null; readonly signal: string | undefined };
}

/** A service over this host, which stays open. */
export function serviceOver(host: Host, maxSessions?: number): SessionService {
  const probe = machineProbe();
  return new SessionService({
    open: () =>
      Promise.resolve({
        registry: host.registry,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    platform: {
      detectShell: () => detectShell(probe),
      isWSL: () => false,
      getPlatformInfo: () => platformInfo(probe),
    },
    maxSessions,
  });
}

/** Keeps what callbacks are told, by session. */
export function listenTo(service: SessionService): Map<string, Told> {
  const told = new Map<string, Told>();
  const of = (id: string): Told => {
    const known = told.get(id) ?? { output: "" };
    told.set(id, known);
    return known;
  };
  service.onData((id, data) => {
    of(id).output += data;
  });
  service.onExit((id, exitCode, signal) => {
    of(id).ended = { exitCode, signal };
  });
  return told;
}
