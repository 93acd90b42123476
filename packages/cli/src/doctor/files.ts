import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { finding, type Finding, type Library } from "./finding.ts";

const FOR_OTHERS = 0o077;

/** Looks whether others could read what terminals showed, or take the place of the daemon. */
export function checkFiles({ ownDirectories }: Library): readonly Finding[] {
  const { state, run } = ownDirectories();
  const open = [...new Set([state, run])].flatMap((directory) => openPaths(directory));
  const paths = open.slice(0, 3).join(", ");
  const more = open.length > 3 ? ` and ${open.length - 3} more` : "";
  const advice = `Run: chmod -R go= ${state}${run.startsWith(state) ? "" : ` ${run}`}`;
  return [
    open.length === 0
      ? finding("permissions", `only you can read ${state}`)
      : finding("permissions", `others can read ${paths}${more}`, { state: "wrong", advice }),
  ];
}

/** What is open to others, or is not this user's; a link is not followed. */
function openPaths(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const below = stats.isDirectory()
    ? readdirSync(path).flatMap((name) => openPaths(join(path, name)))
    : [];
  return isPrivate(stats) ? below : [path, ...below];
}

const isPrivate = (stats: Stats): boolean =>
  stats.isSymbolicLink() || (stats.uid === process.getuid?.() && (stats.mode & FOR_OTHERS) === 0);
