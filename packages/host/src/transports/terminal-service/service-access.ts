import type { TerminalPassword } from "./terminal-password.ts";

/** Whether the routes of the terminal service answer, and to whom. */
export interface ServiceAccess {
  readonly enabled: boolean;
  readonly password: TerminalPassword;
  /** What `status` says about the machine, such as its `defaultShell`. */
  readonly platform: Readonly<Record<string, unknown>>;
}

/** What the sockets of the terminal service ask for beside the credential. */
export interface SocketAccess extends Omit<ServiceAccess, "password"> {
  readonly password: Pick<TerminalPassword, "isLoggedIn">;
  /** After this long a shared socket with nothing attached is closed. */
  readonly attachMs?: number | undefined;
}

/** The shell of sessions that do not say which they have. */
export const usualShellOf = ({ platform }: Pick<ServiceAccess, "platform">): string =>
  typeof platform["defaultShell"] === "string" ? platform["defaultShell"] : "";
