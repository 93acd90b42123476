import { expect, test } from "vitest";
import {
  buildEnvironment,
  type EnvironmentPolicy,
  type EnvironmentRequest,
} from "./environment.ts";

const HOST_ENV = {
  HOME: "/home/ada",
  PATH: "/usr/bin",
  SHELL: "/bin/bash",
  USER: "ada",
  LC_TIME: "de_DE.UTF-8",
  FAVOURITE: "blue",
};

const SECRETS = Object.fromEntries(
  [
    "PORT DATA_DIR NODE_PATH NODE_OPTIONS LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES",
    "NACRE_TOKEN NACRE_HOME TERMINAL_PASSWORD ANTHROPIC_API_KEY OPENAI_API_KEY AWS_SECRET_ACCESS_KEY",
    "AWS_PROFILE GH_TOKEN GITHUB_TOKEN MY_SECRET SECRET_SAUCE SECRETS_FILE DB_PASSWORD PASSWORD_FILE",
    "PGPASSWD DATABASE_URL PRIVATE_KEY SSH_AUTH_SOCK STRIPE_APIKEY npm_config__auth SESSION_COOKIE",
  ]
    .join(" ")
    .split(" ")
    .map((name) => [name, "canary"]),
);

const build = (request: EnvironmentRequest, policy: Partial<EnvironmentPolicy> = {}) =>
  buildEnvironment(request, {
    hostEnv: { ...HOST_ENV, ...SECRETS },
    platform: "linux",
    version: "1.2.3",
    ...policy,
  });

const TERMINAL_ENV = {
  TERM: "xterm-256color",
  COLORTERM: "truecolor",
  TERM_PROGRAM: "nacre",
  TERM_PROGRAM_VERSION: "1.2.3",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
};

test("by default a program gets exactly what is safe and what makes a terminal", () => {
  const { FAVOURITE, ...safe } = HOST_ENV;
  expect(FAVOURITE).toBe("blue");
  expect(build({})).toEqual({ ...safe, ...TERMINAL_ENV });
});

test("`none` inherits nothing of the host", () => {
  expect(build({ inheritEnv: "none" })).toEqual(TERMINAL_ENV);
});

test("`all` inherits everything but the host's own settings and what looks like a secret", () => {
  expect(build({ inheritEnv: "all" })).toEqual({ ...HOST_ENV, ...TERMINAL_ENV });
});

test("a program is told where its host is, whatever it inherits", () => {
  const hostAddress = { NACRE_SOCKET: "/run/nacre.sock" };
  expect(build({ inheritEnv: "none" }, { hostAddress })).toEqual({
    ...TERMINAL_ENV,
    ...hostAddress,
  });
});

test("the host's language is kept, and every terminal has one", () => {
  const hostEnv = { LANG: "fr_FR.UTF-8" };
  expect(build({}, { hostEnv })).toMatchObject({ LANG: "fr_FR.UTF-8", LC_ALL: "fr_FR.UTF-8" });
  const both = { LANG: "fr_FR.UTF-8", LC_ALL: "de_DE.UTF-8" };
  expect(build({}, { hostEnv: both })).toMatchObject({ LC_ALL: "de_DE.UTF-8" });
  expect(build({}, { hostEnv: {}, platform: "darwin" })).toMatchObject({ LANG: "en_US.UTF-8" });
});

test("the caller's language wins over the host's", () => {
  const hostEnv = { LANG: "fr_FR.UTF-8", LC_ALL: "fr_FR.UTF-8" };
  const env = { LANG: "ja_JP.UTF-8" };
  expect(build({ env }, { hostEnv })).toMatchObject({ LANG: "ja_JP.UTF-8", LC_ALL: "ja_JP.UTF-8" });
});

test("Windows finds its PATH under any spelling", () => {
  const hostEnv = { Path: "C:\\Windows", SYSTEMROOT: "C:\\Windows", Secret_Token: "canary" };
  const windows = { hostEnv, platform: "win32" } as const;
  expect(build({}, windows)).toMatchObject({ Path: "C:\\Windows", SYSTEMROOT: "C:\\Windows" });
  expect(Object.values(build({ inheritEnv: "all" }, windows))).not.toContain("canary");
});

test("the caller's variables come last and may carry the caller's own secrets", () => {
  const env = { TERM: "dumb", GH_TOKEN: "mine", PORT: "3000", EMPTY: "" };
  expect(build({ env })).toMatchObject(env);
});

test.each(["LD_PRELOAD", "DYLD_LIBRARY_PATH", "NODE_OPTIONS", "BASH_ENV", "NACRE_TOKEN"])(
  "a caller may not set %s unless the host permits it",
  (name) => {
    expect(() => build({ env: { [name]: "x" } })).toThrow(
      expect.objectContaining({ code: "environment_refused", field: `env.${name}` }),
    );
    expect(build({ env: { [name]: "x" } }, { permittedNames: [name] })).toMatchObject({
      [name]: "x",
    });
  },
);

test.each([["A=B"], [""], ["A B"], ["1A"], ["A\0"]])("the name %j is refused", (name) => {
  expect(() => build({ env: { [name]: "x" } })).toThrow(
    expect.objectContaining({ code: "invalid_argument" }),
  );
});

test("a value with NUL, or larger than the kernel takes, is refused", () => {
  const refused = expect.objectContaining({ code: "invalid_argument", field: "env.A" });
  expect(() => build({ env: { A: "a\0b" } })).toThrow(refused);
  expect(() => build({ env: { A: "a".repeat(128 * 1024) } })).toThrow(refused);
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`A${index}`, "a".repeat(60_000)]),
  );
  expect(() => build({ env: many })).toThrow(expect.objectContaining({ code: "invalid_argument" }));
});
