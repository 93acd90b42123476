import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import koffi from "koffi";
import { afterAll, expect, test } from "vitest";
import { findCgroup } from "./cgroup.ts";

const root = mkdtempSync(join(tmpdir(), "nacre-cgroup-"));
afterAll(() => rmSync(root, { recursive: true }));

const setxattr = koffi
  .load(null)
  .func("setxattr", "int", ["const char *", "const char *", "const char *", "size_t", "int"]);

interface Group {
  readonly processes?: readonly number[];
  readonly controllers?: string;
}

/** A directory that looks like a cgroup. */
function makeGroup(path: string, { processes = [], controllers = "" }: Group): string {
  const directory = join(root, path);
  mkdirSync(directory, { recursive: true });
  const lines = processes.map((pid) => `${pid}\n`).join("");
  writeFileSync(join(directory, "cgroup.procs"), lines);
  writeFileSync(join(directory, "cgroup.controllers"), `${controllers}\n`);
  writeFileSync(join(directory, "cgroup.subtree_control"), "");
  return directory;
}

/** Marks a cgroup as systemd does; false where no file can be marked. */
const delegate = (directory: string): boolean =>
  setxattr(directory, "user.delegate", "1", 1, 0) === 0;

const ALL = { controllers: "cpu memory pids" };
const OURS = { ...ALL, processes: [process.pid] };

test("a cgroup with nobody else in it is divided", () => {
  const own = makeGroup("box", OURS);
  expect(findCgroup({ own })).toMatchObject({ directory: own });
});

test("a second host divides what the first one did, not the part where it stays", () => {
  makeGroup("shared", ALL);
  const own = makeGroup("shared/nacre-host", OURS);
  expect(findCgroup({ own })).toEqual({
    directory: dirname(own),
    controllers: ["cpu", "memory", "pids"],
  });
});

const canMark = delegate(makeGroup("marked", {}));

test.skipIf(!canMark).each([
  ["before", ""],
  ["after", ALL.controllers],
])("what was left to a service is divided, %s the part with its daemon could be", (when, has) => {
  const service = makeGroup(`nacre-${when}.service`, ALL);
  const own = makeGroup(`nacre-${when}.service/daemon`, { ...OURS, controllers: has });
  delegate(service);
  expect(findCgroup({ own })).toMatchObject({ directory: service });
});

test.skipIf(!canMark)(
  "what was left to somebody above is not divided by one that has its own",
  () => {
    const manager = makeGroup("user@1.service", ALL);
    const scope = makeGroup("user@1.service/run-1.scope", OURS);
    delegate(manager);
    expect(findCgroup({ own: scope }).directory).toBeUndefined();
    delegate(scope);
    expect(findCgroup({ own: scope })).toMatchObject({ directory: scope });
  },
);

test("a cgroup with others in it is left alone", () => {
  const own = makeGroup("others", { ...ALL, processes: [process.pid, 1] });
  expect(findCgroup({ own })).toMatchObject({
    controllers: [],
    reason: `${own} has other programs in it`,
  });
});
