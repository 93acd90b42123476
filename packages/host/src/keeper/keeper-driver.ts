import { refuseLimits } from "../pty/limits/refuse-limits.ts";
import type { Pty, PtyDriver, PtyLaunch, RunningPty } from "../pty/pty.ts";
import { checkSize } from "../pty/check-size.ts";
import type { KeeperLink } from "./keeper-link.ts";
import { KeeperPty } from "./keeper-pty.ts";
import type { PtyKind } from "./kept-pty.ts";
import { readPtyFacts, readRunningPtys } from "./read-answers.ts";

/** Ptys that live in the keeper, and outlive this process. */
export function createKeeperDriver(link: KeeperLink, kind: PtyKind = "terminal"): PtyDriver {
  return {
    name: kind === "terminal" ? "keeper-pty" : "keeper-pipes",

    async spawn(asked: PtyLaunch): Promise<Pty> {
      // What is no number would be another value on the wire.
      const { file, args, env, cwd, allowedRoots, umask, memo, limits } = asked;
      const size = checkSize(asked.size);
      const launch = { file, args, env, cwd, allowedRoots, size, umask, memo, limits };
      const pty = await link.request(
        { call: "spawn", kind, launch },
        (answer) => new KeeperPty(link, readPtyFacts(answer), 0),
        // Nobody knows of it, so nobody would ever end it.
        (late) => void late[Symbol.asyncDispose]().catch(() => undefined),
      );
      if (pty.limits) return pty;
      // A keeper of an older version started it without.
      return await requireUnlimited(pty, asked);
    },

    async list(): Promise<readonly RunningPty[]> {
      const running = await link.request({ call: "list" }, readRunningPtys);
      return running.filter((one) => one.kind === kind);
    },

    async adopt(id: string, fromOffset: number): Promise<Pty> {
      return await link.request(
        { call: "adopt", id, fromOffset },
        (answer) => new KeeperPty(link, readPtyFacts(answer), fromOffset),
      );
    },
  };
}

async function requireUnlimited(pty: Pty, launch: PtyLaunch): Promise<Pty> {
  try {
    refuseLimits(launch);
    return pty;
  } catch (error) {
    await pty[Symbol.asyncDispose]();
    throw error;
  }
}
