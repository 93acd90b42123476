import { NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { invalidParams, JsonRpcError, toJsonRpcError } from "./json-rpc.ts";

test("a failure keeps its code, its field and what to do", () => {
  const error = new NacreError("cwd_not_found", "/srv/app does not exist", {
    field: "workingDirectory",
    suggestion: "Create it.",
    details: { path: "/srv/app" },
  });
  expect(toJsonRpcError(error)).toMatchObject({
    code: -32008,
    message: "/srv/app does not exist. Create it.",
    data: {
      code: "cwd_not_found",
      field: "workingDirectory",
      suggestion: "Create it.",
      details: { path: "/srv/app" },
    },
  });
});

test("what is absent is left out", () => {
  const error = toJsonRpcError(new NacreError("terminal_exited", "it has ended"));
  expect(Object.keys(error?.data as object)).toEqual(["code", "suggestion"]);
});

test("an error of this wire stays as it is", () => {
  const error = new JsonRpcError(-32601, "no such method");
  expect(toJsonRpcError(error)).toBe(error);
});

test("a fault has no words for clients", () => {
  expect(toJsonRpcError(new TypeError("secret"))).toBeUndefined();
  expect(toJsonRpcError("secret")).toBeUndefined();
});

test("a field that cannot be used is named", () => {
  expect(invalidParams("cwd", "expected a URI")).toMatchObject({
    code: -32602,
    message: "cwd: expected a URI",
    data: { code: "invalid_argument", field: "cwd" },
  });
});
