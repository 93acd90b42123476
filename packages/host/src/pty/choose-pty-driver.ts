import { NacreError } from "@nacre/contracts/plain";
import type { PtyDriver } from "./pty.ts";

/** Each driver is loaded only where used, since each has native code for its platforms. */
export async function choosePtyDriver(
  platform: NodeJS.Platform = process.platform,
): Promise<PtyDriver> {
  if (!["linux", "darwin", "win32"].includes(platform)) {
    throw new NacreError("unsupported", `there is no terminal driver for ${platform}`);
  }
  try {
    if (platform === "linux") return (await import("./linux-pty.ts")).linuxPty;
    const { createNodePty } = await import("./node-pty.ts");
    return createNodePty(await import("@lydell/node-pty"));
  } catch (cause) {
    throw new NacreError(
      "pty_unavailable",
      `the native part of the terminal driver for ${platform} cannot be loaded: ${String(cause)}`,
      { cause },
    );
  }
}
