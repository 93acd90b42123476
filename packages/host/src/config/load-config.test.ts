import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ConfigSchema, defaultConfig, SETTINGS } from "./config.ts";
import { findDirectories } from "./directories.ts";
import { type ConfigSources, loadConfig } from "./load-config.ts";
import { showConfig } from "./show-config.ts";

let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nacre-config-"));
  file = join(home, "config.json");
});

const load = (sources: Partial<ConfigSources> = {}) =>
  loadConfig({
    env: {},
    directories: findDirectories({ NACRE_HOME: home }, "/nobody"),
    ...sources,
  });

const write = (settings: unknown, mode = 0o600): void =>
  writeFileSync(file, JSON.stringify(settings), { mode });

describe("settings come from the strongest source that has them", () => {
  test("nothing said is the default", () => {
    const { config, origins } = load();
    expect(config).toEqual(defaultConfig());
    expect(config).toMatchObject({ host: "127.0.0.1", port: 6227, logLevel: "info" });
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
  });

  test("a flag beats a variable, which beats the file, which beats the default", () => {
    write({ port: 1111, maxTerminals: 5, logLevel: "warn" });
    const { config, origins } = load({
      env: { NACRE_PORT: "2222", NACRE_LOG: "error" },
      flags: { port: "3333" },
    });
    expect(config).toMatchObject({ port: 3333, maxTerminals: 5, logLevel: "error" });
    expect(origins).toMatchObject({
      port: "--port",
      logLevel: "NACRE_LOG",
      maxTerminals: file,
      host: "default",
    });
  });

  test("our own name of a variable beats that of the terminal service", () => {
    const env = { NACRE_MAX_TERMINALS: "7", TERMINAL_MAX_SESSIONS: "9" };
    expect(load({ env })).toMatchObject({
      config: { maxTerminals: 7 },
      origins: { maxTerminals: "NACRE_MAX_TERMINALS" },
    });
  });

  test("the variables of the terminal service count", () => {
    const env = {
      TERMINAL_ENABLED: "false",
      TERMINAL_PASSWORD: "open sesame",
      TERMINAL_MAX_SESSIONS: "12",
      ALLOWED_ROOT_DIRECTORY: "/srv/work",
    };
    expect(load({ env }).config).toMatchObject({
      terminalServiceEnabled: false,
      terminalServicePassword: "open sesame",
      maxTerminals: 12,
      allowedRoots: ["/srv/work"],
    });
  });

  test("S-L16: DATA_DIR is a root beside ALLOWED_ROOT_DIRECTORY, and none without it", () => {
    const data = { DATA_DIR: "/srv/data" };
    const root = { ...data, ALLOWED_ROOT_DIRECTORY: "/srv/work" };
    expect(load({ env: root }).config.allowedRoots).toEqual(["/srv/work", "/srv/data"]);
    expect(load({ env: data }).config.allowedRoots).toEqual([]);
    const own = { ...root, NACRE_ALLOWED_ROOTS: "/own" };
    expect(load({ env: own }).config.allowedRoots).toEqual(["/own"]);
  });

  test("an empty variable is none", () => {
    expect(load({ env: { NACRE_PORT: "" } }).origins.port).toBe("default");
  });

  test("lists are separated like PATH, addresses by commas", () => {
    const env = {
      NACRE_ALLOWED_ROOTS: "/a:/b c",
      NACRE_PUBLIC_ORIGINS: "https://a.example,http://b.example:8080",
    };
    expect(load({ env }).config).toMatchObject({
      allowedRoots: ["/a", "/b c"],
      publicOrigins: ["https://a.example", "http://b.example:8080"],
    });
  });
});

describe("what is wrong is refused by name", () => {
  test("a key that is no setting, with the name of the file", () => {
    write({ prot: 1 });
    expect(() => load()).toThrow(`${file}: there is no setting prot`);
  });

  test.each([
    ["a number that is none", { NACRE_PORT: "80a" }, /NACRE_PORT: port: /],
    ["a number out of range", { NACRE_PORT: "70000" }, /NACRE_PORT: port: /],
    ["no number of terminals", { TERMINAL_MAX_SESSIONS: "abc" }, /TERMINAL_MAX_SESSIONS: max/],
    ["an unknown word", { NACRE_LOG: "loud" }, /NACRE_LOG: logLevel: /],
    ["a switch that is neither", { TERMINAL_ENABLED: "perhaps" }, /TERMINAL_ENABLED: /],
    ["an agent that is no name", { NACRE_AGENT_DIRECTORIES: "../x" }, /agentDirectories\.0: /],
    ["an agent named like the host", { NACRE_AGENT_DIRECTORIES: "operator" }, /is taken/],
    ["an agent twice", { NACRE_AGENT_DIRECTORIES: "a,b,a" }, /named twice/],
    ["an address with a path", { NACRE_PUBLIC_ORIGINS: "https://a/b" }, /without a path/],
  ])("%s", (_, env, message) => {
    expect(() => load({ env })).toThrow(message);
  });

  test("a file that is no JSON, without a word of what is in it", () => {
    writeFileSync(file, '{"terminalServicePassword": hunter2}', { mode: 0o600 });
    expect(() => load()).toThrow(
      /^((?!hunter2)[\s\S])*expected a JSON object((?!hunter2)[\s\S])*$/,
    );
  });

  test("a file that was named and is not there", () => {
    expect(() => load({ env: { NACRE_CONFIG: "/nowhere/config.json" } })).toThrow(
      "/nowhere/config.json cannot be read",
    );
  });

  test("a password in a file that everybody may read", () => {
    write({ terminalServicePassword: "hunter2" }, 0o644);
    expect(() => load()).toThrow("everybody may read it");
  });

  test("a file that others may write to", () => {
    writeFileSync(file, "{}");
    chmodSync(file, 0o666);
    expect(() => load()).toThrow("may not be trusted");
  });

  test("a pipe where the file should be, without waiting for its other end", () => {
    execFileSync("mkfifo", [file]);
    expect(() => load()).toThrow("may not be trusted");
  });
});

test("what is shown has the source of each value and no secret", () => {
  const env = { TERMINAL_PASSWORD: "hunter2", NACRE_PORT: "1234" };
  const shown = showConfig(load({ env }));
  expect(shown).toContainEqual({ name: "port", value: 1234, origin: "NACRE_PORT" });
  expect(shown).toContainEqual({
    name: "terminalServicePassword",
    value: "***",
    origin: "TERMINAL_PASSWORD",
  });
  expect(shown).toContainEqual({ name: "tlsKey", value: null, origin: "default" });
  expect(JSON.stringify(shown)).not.toContain("hunter2");
  expect(shown.map(({ name }) => name)).toEqual(Object.keys(SETTINGS));
});

test("every setting is described, and in the table of settings", () => {
  const { shape } = ConfigSchema;
  expect(new Set(Object.keys(SETTINGS))).toEqual(new Set(Object.keys(shape)));
  for (const setting of Object.values(shape)) expect(setting.meta()?.description).toMatch(/\.$/);
});
