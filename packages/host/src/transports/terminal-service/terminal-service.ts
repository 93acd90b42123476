import { readSettingFromEnv } from "../../config/load-config.ts";
import { createHost, VERSION } from "../../host.ts";
import { defaultLaunchPolicy } from "../../pty/launch.ts";
import {
  detectShell,
  isWSL,
  machineProbe,
  type PlatformInfo,
  platformInfo,
} from "../../pty/shell-detection.ts";
import { isMaxSessions, SessionService } from "./session-service.ts";

export interface TerminalServiceOptions {
  /** Where sessions may start, in or below; empty means anywhere. `ALLOWED_ROOT_DIRECTORY` and `DATA_DIR` when absent. */
  readonly allowedRoots?: readonly string[] | undefined;
  /** How many sessions there may be at once; `TERMINAL_MAX_SESSIONS` when absent, else 1000. */
  readonly maxSessions?: number | undefined;
}

/** Sessions with callbacks for the program around it, in memory until they end; the variables of the environment count as for the daemon. */
export class TerminalService extends SessionService<PlatformInfo> {
  constructor(options: TerminalServiceOptions = {}) {
    const probe = machineProbe();
    const allowedRoots =
      options.allowedRoots ?? readSettingFromEnv(process.env, "allowedRoots") ?? [];
    super({
      open: () => createHost({ policy: { ...defaultLaunchPolicy(VERSION), allowedRoots } }),
      maxSessions: options.maxSessions ?? readMaxSessions(process.env["TERMINAL_MAX_SESSIONS"]),
      platform: {
        detectShell: () => detectShell(probe),
        isWSL: () => isWSL(probe),
        getPlatformInfo: () => platformInfo(probe),
      },
    });
  }
}

let service: TerminalService | undefined;

/** The one TerminalService of this process. */
export function getTerminalService(): TerminalService {
  service ??= new TerminalService();
  return service;
}

/** What is no number that can be set does not count. */
function readMaxSessions(text: string | undefined): number | undefined {
  const count = Number(text);
  return text && isMaxSessions(count) ? count : undefined;
}
