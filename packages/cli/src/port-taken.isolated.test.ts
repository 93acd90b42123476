import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeHome, nacre, ServeProcess } from "./testing/nacre-process.ts";

/** Such a test starts several daemons, one after the other. */
vi.setConfig({ testTimeout: 90_000 });

const USUAL_PORT = 6227;

const quiet = { NACRE_ALLOW_ROOT: "true", NACRE_KEEPER: "off" };

/** Sees to it that somebody has the usual port. */
async function takeUsualPort(): Promise<void> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(USUAL_PORT, "127.0.0.1");
  const taken = once(server, "error").catch(() => undefined);
  // Whoever has it is as good.
  await Promise.race([once(server, "listening"), taken]);
}

const resultOf = (text: string): Record<string, unknown> =>
  (JSON.parse(text) as { result: Record<string, unknown> }).result;

test("S-F6: where the usual port is taken the daemon starts at another, says so, and comes back there after a crash", async () => {
  await takeUsualPort();
  const home = makeHome();
  onTestFinished(() => void nacre(["stop"], { home, env: quiet }));
  const created = nacre(["new", "-q"], { home, env: quiet });
  expect(created).toMatchObject({ status: 0, stderr: "" });
  const first = resultOf(nacre(["status", "--json"], { home, env: quiet }).stdout);
  const port = new URL(String(first["url"])).port;
  expect(Number(port)).not.toBe(USUAL_PORT);
  expect(nacre(["status"], { home, env: quiet }).stdout).toMatch(/another program has port 6227/);
  expect(nacre(["doctor"], { home, env: quiet }).stdout).toMatch(
    new RegExp(`port +${port}, since another program has 6227`),
  );
  expect(nacre(["web"], { home, env: quiet }).stdout).toContain(`:${port}/#token=`);
  expect(readFileSync(join(home, "daemon.log"), "utf8")).toContain("another program has port 6227");
  process.kill(Number(first["pid"]), "SIGKILL");
  await vi.waitUntil(() => nacre(["status"], { home, env: quiet }).status === 7);
  expect(nacre(["ls"], { home, env: quiet }).status).toBe(0);
  const next = resultOf(nacre(["status", "--json"], { home, env: quiet }).stdout);
  expect(next["pid"]).not.toBe(first["pid"]);
  expect(new URL(String(next["url"])).port).toBe(port);
});

test("S-F6: a port that was asked for and is taken is refused, and one of a killed daemon is had again", async () => {
  const home = makeHome();
  const other = makeHome();
  let port = "";
  {
    await using daemon = await ServeProcess.start({ home });
    port = daemon.url.port;
    const refused = nacre(["serve", "--port", port], { home: other, env: quiet });
    expect(refused.status).toBe(7);
    expect(refused.stderr).toContain("another program listens there");
    expect(await daemon.end("SIGKILL")).toBe("SIGKILL");
  }
  onTestFinished(() => void nacre(["stop"], { home, env: quiet }));
  expect(nacre(["ls"], { home, env: quiet }).status).toBe(0);
  const next = resultOf(nacre(["status", "--json"], { home, env: quiet }).stdout);
  expect(new URL(String(next["url"])).port).toBe(port);
});
