import { expect, test } from "vitest";
import { MarkerReader } from "./marker.ts";
import { codePair } from "./testing/output.ts";

test("a marker with the next code counts once, as exact", () => {
  const { codes, shell } = codePair();
  const reader = new MarkerReader({ nonces: codes });
  const payload = `D;1;nacre=${shell.next()}`;
  expect(reader.read(633, payload)).toEqual({ kind: "commandEnd", exitCode: 1, quality: "exact" });
  expect(reader.read(633, payload)).toBeUndefined();
});

test.each(["D;0;nacre=1.1", "D;0;nacre=", "D;0;nacre", "D;0", "D;0;NACRE=1.1"])(
  "%j changes nothing",
  (payload) => {
    const { codes, shell } = codePair();
    const reader = new MarkerReader({ nonces: codes });
    expect(reader.read(633, payload)).toBeUndefined();
    expect(reader.read(633, `A;nacre=${shell.next()}`)).toBeDefined();
  },
);

test("a code must stand at the end", () => {
  const { codes, shell } = codePair();
  const reader = new MarkerReader({ nonces: codes, trustForeign: true });
  const code = shell.next();
  expect(reader.read(633, `A;nacre=${code};x`)).toBeUndefined();
  expect(reader.read(633, `A;nacre=${code} `)).toBeUndefined();
  expect(reader.read(633, `A;nacre=${code}`)).toBeDefined();
});

test("a marker with a bad code never counts, whoever else is trusted", () => {
  expect(new MarkerReader({ trustForeign: true }).read(633, "A;nacre=1.1")).toBeUndefined();
  const { codes } = codePair();
  expect(
    new MarkerReader({ nonces: codes, trustForeign: true }).read(133, "A;nacre=1.1"),
  ).toBeUndefined();
});

test("a marker of others counts when they are trusted, and is told apart", () => {
  const reader = new MarkerReader({ trustForeign: true });
  expect(reader.read(133, "A")).toEqual({ kind: "promptStart", quality: "marker" });
  expect(reader.read(133, "Z")).toBeUndefined();
});

test("a flood of markers of others does not count, but the next output does", () => {
  const reader = new MarkerReader({ trustForeign: true });
  const counted = Array.from({ length: 1000 }, () => reader.read(133, "A")).filter(Boolean);
  expect(counted).toHaveLength(64);
  reader.begin();
  expect(reader.read(133, "A")).toBeDefined();
});

test("a flood of markers of others does not keep our own from counting", () => {
  const { codes, shell } = codePair();
  const reader = new MarkerReader({ nonces: codes, trustForeign: true });
  for (let index = 0; index < 100; index++) reader.read(133, "A");
  expect(reader.read(633, `A;nacre=${shell.next()}`)).toBeDefined();
});
