import { describe, expect, test } from "vitest";
import { type BindRequest, decideBind } from "./check-start.ts";

const LOOPBACK = ["127.0.0.1", "127.8.9.10", "::1", "localhost"];
const REACHABLE = [
  "0.0.0.0",
  "::",
  "0:0:0:0:0:0:0:0",
  "192.168.1.4",
  "10.0.0.1",
  "fe80::1",
  "169.254.1.1",
  "::ffff:127.0.0.1",
  "::ffff:0.0.0.0",
  "0:0:0:0:0:0:0:1",
];
const NO_ADDRESS = ["", " ", "example.com", "127.0.0.1.", "127.1", "0", "*", "2130706433", "[::1]"];

const ask =
  (host: string, more: Partial<BindRequest> = {}) =>
  () =>
    decideBind({ host, hasTls: false, behindProxy: false, isRoot: false, ...more });

describe("where the daemon may listen", () => {
  test.each(LOOPBACK)("%s is loopback, for root too and without more", (host) => {
    const address = host === "localhost" ? "127.0.0.1" : host;
    expect(ask(host)()).toEqual({ address, isLoopback: true });
    expect(ask(host, { isRoot: true })()).toEqual({ address, isLoopback: true });
  });

  test.each(REACHABLE)("%s needs TLS or a proxy", (host) => {
    expect(ask(host)).toThrow(`others can reach ${host}`);
    expect(ask(host, { hasTls: true })()).toEqual({ address: host, isLoopback: false });
    expect(ask(host, { behindProxy: true })()).toEqual({ address: host, isLoopback: false });
  });

  test.each(REACHABLE)("%s is never for root, whatever else is said", (host) => {
    expect(ask(host, { isRoot: true, hasTls: true, behindProxy: true })).toThrow("as root");
  });

  test.each(NO_ADDRESS)("%j is no address, since a name can come to mean another", (host) => {
    expect(ask(host, { hasTls: true })).toThrow("is no IP address");
  });
});
