import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeHome, nacre, ServeProcess } from "./testing/nacre-process.ts";

const NOBODY = 65_534;

/** What a user of the machine gets who connects and asks over the socket. */
function askAsNobody(path: string): string {
  const script = `const s = require("net").connect(${JSON.stringify(path)});
    s.on("error", (e) => console.log(e.code));
    s.on("connect", () => s.write("GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"));
    s.on("data", () => console.log("answered"));
    s.on("end", () => console.log("ended"));`;
  const options = { uid: NOBODY, gid: NOBODY, cwd: "/" };
  return execFileSync(process.execPath, ["-e", script], options).toString().trim();
}

describe.runIf(process.getuid?.() === 0)("users, whom only root can be in turn", () => {
  test("root is warned, and others cannot connect even where the modes are lost", async () => {
    const home = makeHome();
    const path = join(home, "run/nacre.sock");
    await using daemon = await ServeProcess.start({ home });
    expect(daemon.errors).toContain("nacre: runs as root");
    expect(askAsNobody(path)).toBe("EACCES");
    chmodSync(home, 0o711);
    chmodSync(join(home, "run"), 0o711);
    expect(askAsNobody(path)).toBe("EACCES");
    chmodSync(path, 0o666);
    expect(askAsNobody(path)).toMatch(/^(?:ended|EPIPE|ECONNRESET)$/);
    expect(await daemon.ask("GET", "/api/host")).toMatchObject({ pid: daemon.pid });
  });

  test("root is not warned when it is meant, and a program is told what it needs", async () => {
    const home = makeHome();
    await using daemon = await ServeProcess.start({ home }, "--allow-root", "--json");
    expect(daemon.errors).not.toContain("runs as root");
    expect(JSON.parse(daemon.firstLine)).toMatchObject({
      ok: true,
      command: "serve",
      result: { pid: daemon.pid, url: expect.stringContaining("/#token=nacre_") as string, home },
    });
  });

  test("root never gets an address that others can reach", () => {
    const home = makeHome();
    const args = ["serve", "--host", "0.0.0.0", "--behind-proxy", "--allow-root"];
    const { status, stdout, stderr } = nacre(args, { home });
    expect(status).toBe(5);
    expect(stdout).toBe("");
    expect(stderr).toContain("as root the daemon listens on loopback only");
    expect(existsSync(join(home, "run"))).toBe(false);
  });

  test("another user gets one only with TLS or a proxy", async () => {
    const options = { home: makeHome(NOBODY), uid: NOBODY };
    const refused = nacre(["serve", "--host", "0.0.0.0"], options);
    expect(refused.status).toBe(5);
    expect(refused.stderr).toContain("others can reach 0.0.0.0");
    expect(existsSync(join(options.home, "run"))).toBe(false);
    const args = ["--host", "0.0.0.0", "--behind-proxy"];
    await using daemon = await ServeProcess.start(options, ...args);
    expect(daemon.firstLine).toMatch(/^http:\/\/0\.0\.0\.0:\d+\/#token=/);
  });
});
