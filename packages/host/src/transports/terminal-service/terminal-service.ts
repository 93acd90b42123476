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
  /** In or below these; empty: anywhere. Default: `ALLOWED_ROOT_DIRECTORY` and `DATA_DIR`. */
  readonly allowedRoots?: readonly string[] | undefined;
  /** Default: `TERMINAL_MAX_SESSIONS`, else 1000. */
  readonly maxSessions?: number | undefined;
}

/** In-memory sessions with callbacks for the embedding program; honours the daemon's environment variables. */
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

/** A singleton per process. */
export function getTerminalService(): TerminalService {
  service ??= new TerminalService();
  return service;
}

/** Invalid numbers are ignored. */
function readMaxSessions(text: string | undefined): number | undefined {
  const count = Number(text);
  return text && isMaxSessions(count) ? count : undefined;
}
