import { TerminalId } from "@nacre/contracts";

/** Every path that can become a WebSocket here; a name in braces stands for one part of a path. */
export const UPGRADE_PATHS = [
  { path: "/api/terminals/{id}/connect", kind: "connect" },
  { path: "/api/terminal/ws", kind: "service" },
] as const;

/** What a request wants to become. */
export type UpgradeTarget =
  | { readonly kind: "connect"; readonly id: TerminalId | undefined }
  | { readonly kind: "service" };

/** Finds what a request's target names, or nothing; an id that is none is left out. */
export function matchUpgradePath(path: string): UpgradeTarget | undefined {
  const parts = path.split("/");
  if (path === UPGRADE_PATHS[1].path) return { kind: "service" };
  const [, api, terminals, id = "", connect] = parts;
  const isConnect = api === "api" && terminals === "terminals" && connect === "connect";
  if (!isConnect || parts.length !== 5) return undefined;
  return { kind: "connect", id: TerminalId.safeParse(tryDecode(id)).data };
}

function tryDecode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // What is no text names nothing.
    return undefined;
  }
}
