import { TerminalId, type TerminalOwnerReference } from "@nacre/contracts";
import { describe, expect, test } from "vitest";
import { cwdFromUri, cwdToUri, isRoot, ownUriOf, parseTerminalUri, uriOf } from "./uri.ts";

const id = TerminalId.parse("terminal:t_1-a");
const owner = (attributes?: TerminalOwnerReference["attributes"]): TerminalOwnerReference => ({
  entityName: "Task",
  entityId: "1",
  ...(attributes === undefined ? {} : { attributes }),
});

test("the root has several spellings", () => {
  expect(["ahp-root://", "ahp-root:", "ahp-root:/", "agenthost:/root"].every(isRoot)).toBe(true);
  expect(["ahp-root:///", "AHP-ROOT://", "", "ahp-terminal:/root"].some(isRoot)).toBe(false);
});

describe("the address of a terminal", () => {
  test("is made of its id", () => {
    expect(uriOf({ id, owner: owner() })).toBe("ahp-terminal:/t_1-a");
    expect(parseTerminalUri("ahp-terminal:/t_1-a")).toEqual({ kind: "own", id });
    expect(ownUriOf(id)).toBe("ahp-terminal:/t_1-a");
  });

  test.each([
    "agenthost-terminal:/0b7c",
    "terminal:t1",
    "x-my+scheme.1:t",
    "untitled:ä/ö?query#fragment",
    `a:${"b".repeat(1022)}`,
    "ahp-terminal:t1",
    "ahp-terminal:/a/b",
    "ahp-terminal:/a.b",
    "ahp-terminal:/with%20pct",
    "ahp-terminal://host/id",
    "ahp-terminal:/_a",
    `ahp-terminal:/${"a".repeat(129)}`,
    `ahp-terminal:/${"ä".repeat(505)}`,
  ])("A-F4: may be chosen: %s", (uri) => {
    expect(parseTerminalUri(uri)).toEqual({ kind: "chosen", uri });
    expect(uriOf({ id, owner: owner({ ahpChannel: uri }) })).toBe(uri);
  });

  test.each([
    "ahp-terminal:",
    "ahp-terminal:/",
    "ahp-terminal://",
    "ahp-terminal:/a b",
    `ahp-terminal:/${"ä".repeat(506)}`,
    "ahp-terminals:/1",
    "ahp-root://",
    "ahp-session:/1",
    "ahp-chat:/1",
    "ahp-otlp:/1",
    "ahp-changeset:/1",
    "ahp-anything:/1",
    "agenthost:/root",
    "",
    "t1",
    "/t1",
    "1a:b",
    "Upper:b",
    "a:",
    "a:b c",
    "a:b\n",
    "a:\u0007",
    "a:\u009b",
    "a:\u202e",
    `a:${"b".repeat(1023)}`,
  ])("is not %j", (uri) => {
    expect(parseTerminalUri(uri)).toBeUndefined();
  });

  test.each([["ahp-root://"], ["ahp-terminal:/"], ["a b"], [7], [null]])(
    "that an owner claims to be %j does not count",
    (claimed) => {
      expect(uriOf({ id, owner: owner({ ahpChannel: claimed }) })).toBe("ahp-terminal:/t_1-a");
    },
  );
});

describe("a directory", () => {
  test.each([
    ["/srv/app", "file:///srv/app"],
    ["/a b/ä#?%", "file:///a%20b/%C3%A4%23%3F%25"],
    ["/", "file:///"],
  ])("%s is %s, there and back", (path, uri) => {
    expect(cwdToUri(path)).toBe(uri);
    expect(cwdFromUri(uri)).toBe(path);
  });

  test.each([
    "/srv/app",
    "",
    "http://example.org/srv",
    "vscode-remote://ssh/srv",
    "file://other-machine/srv",
    "file:///srv?x",
    "file:///srv#x",
    "file:///a%2fb",
    "file:///%",
  ])("is not %j", (uri) => {
    expect(() => cwdFromUri(uri)).toThrow(
      expect.objectContaining({ code: -32602, data: expect.objectContaining({ field: "cwd" }) }),
    );
  });
});
