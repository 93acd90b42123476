import { NacreError } from "@nacre/contracts/error";
import type { Directories, FoundKeeper } from "@nacre/host";
import type { Context } from "./context.ts";
import { VERSION } from "./version.ts";

/** How many programs continue without the daemon; refuses where they could not. */
export async function requireKeeping(
  directories: Directories,
  call: Context["call"],
): Promise<number> {
  const { findKeeper } = await import("@nacre/host");
  const keeper = findKeeper(directories);
  if (keeper) return keeper.programs;
  const { terminals } = await call("listTerminals", { state: "active", limit: 1 });
  if (terminals.length === 0) return 0;
  throw new NacreError("unsupported", "programs run in the daemon itself, and would end with it", {
    suggestion:
      "End them with `nacre stop`, or turn on the setting `keeper`, which lets them outlive the daemon.",
  });
}

export function keeperWords({ pid, version, programs }: FoundKeeper): string {
  const older = version === VERSION ? "" : `, version ${version}`;
  return `pid ${pid}, ${countPrograms(programs)}${older}`;
}

export const countPrograms = (count: number): string =>
  count === 1 ? "1 program" : `${count} programs`;
