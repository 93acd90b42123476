import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { NacreError } from "@nacre/contracts";
import { isInsideRoots } from "../pty/working-directory.ts";

/** The directories that lie inside both lists of roots, symbolic links resolved; an empty list of the policy means anywhere. */
export async function narrowRoots(
  allowed: readonly string[],
  asked: readonly string[],
): Promise<readonly string[]> {
  const [outer, inner] = await Promise.all([resolveLinks(allowed), resolveLinks(asked)]);
  const inside = [
    ...inner.filter((root) => isInsideRoots(root, outer)),
    // No roots at all would mean anywhere.
    ...(inner.length === 0 ? [] : outer.filter((root) => isInsideRoots(root, inner))),
  ];
  if (inside.length > 0) return [...new Set(inside)];
  throw new NacreError(
    "cwd_forbidden",
    `none of the caller's roots ${asked.join(", ")} is allowed by the host`,
    { field: "workingDirectory", suggestion: "Give the credential roots that the host allows." },
  );
}

const resolveLinks = (roots: readonly string[]): Promise<readonly string[]> =>
  Promise.all(roots.map((root) => realpath(root).catch(() => resolve(root))));
