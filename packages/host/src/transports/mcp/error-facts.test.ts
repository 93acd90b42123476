import { NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { formatError } from "./format-answer.ts";

test("a failure is told in the words of tools", () => {
  expect(
    formatError(
      new NacreError("invalid_argument", "workingDirectory: must be an absolute path", {
        field: "workingDirectory",
      }),
    ),
  ).toMatchObject({ error: { field: "cwd", message: "cwd: must be an absolute path" } });
  expect(
    formatError(
      new NacreError("claim_held", "client anna holds it; ask for control with `requestControl`"),
    ),
  ).toMatchObject({
    error: {
      message: "client anna holds it; ask for control with terminal_claim and its action `request`",
    },
  });
});

test("fields that tools have as well stay as they are, and nothing is hidden in a message", () => {
  const error = new NacreError("invalid_argument", "keys.0: no\u200B key", { field: "keys.0" });
  expect(formatError(error)).toMatchObject({
    error: { field: "keys.0", message: "keys.0: no key" },
  });
});
