import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProgramList, readKeeperManifest } from "./program-list.ts";

const KEEPER = { pid: 7, startTicks: 70, bootId: "boot", version: "1.2.3" };
const programOf = (pid: number) => ({ id: `pty-${pid}`, leader: { pid, startTicks: pid * 10 } });

let directory: string;
let path: string;
let problems: unknown[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nacre-programs-"));
  path = join(directory, "keeper.programs");
  problems = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

const openList = (): ProgramList => new ProgramList(path, KEEPER, (error) => problems.push(error));

test("what a keeper started and did not forget can be read, by its owner alone", () => {
  const list = openList();
  for (const pid of [1, 2, 3]) list.add(programOf(pid));
  list.remove("pty-2");
  expect(readKeeperManifest(path)).toEqual({
    keeper: KEEPER,
    programs: [programOf(1), programOf(3)],
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(problems).toEqual([]);
});

test("a line that was half written is left out, and what is no note is none", () => {
  openList().add(programOf(1));
  appendFileSync(path, '{"id":"pty-2","leader":{"pi');
  expect(readKeeperManifest(path)?.programs).toEqual([programOf(1)]);
  appendFileSync(path, '\nnonsense\n{"id":7}\n{"id":"x","leader":{"pid":-1,"startTicks":0}}\n');
  expect(readKeeperManifest(path)?.programs).toEqual([programOf(1)]);
  expect(readKeeperManifest(join(directory, "other"))).toBeUndefined();
});

test("the file does not grow with every program that there ever was", () => {
  const list = openList();
  list.add(programOf(1));
  for (let pid = 2; pid < 3000; pid++) {
    list.add(programOf(pid));
    list.remove(`pty-${pid}`);
  }
  expect(readKeeperManifest(path)).toEqual({ keeper: KEEPER, programs: [programOf(1)] });
  expect(readFileSync(path, "utf8").split("\n").length).toBeLessThan(1100);
});

test("a keeper that ends in order leaves nothing, and one that cannot write goes on", () => {
  const list = openList();
  list.clear();
  expect(readKeeperManifest(path)).toBeUndefined();
  new ProgramList(join(directory, "no/such"), KEEPER, (error) => problems.push(error)).add(
    programOf(1),
  );
  expect(problems).toHaveLength(2);
});

test("a list that could not be written is whole again with the next change", () => {
  path = join(directory, "later/keeper.programs");
  const list = openList();
  list.add(programOf(1));
  expect([problems.length, readKeeperManifest(path)]).toEqual([2, undefined]);
  mkdirSync(join(directory, "later"));
  list.add(programOf(2));
  expect(readKeeperManifest(path)).toEqual({
    keeper: KEEPER,
    programs: [programOf(1), programOf(2)],
  });
});

test("where the keeper listens is told, and what an older one does not tell is left out", () => {
  const keeper = { ...KEEPER, socketPath: "/run/keeper.sock", wireVersion: 1 };
  new ProgramList(path, keeper, (error) => problems.push(error)).add(programOf(1));
  expect(readKeeperManifest(path)).toEqual({ keeper, programs: [programOf(1)] });
});
