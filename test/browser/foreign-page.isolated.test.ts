// What a page of somebody else on the same machine can do to a daemon: nothing, even if it knows the token.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { REBOUND_NAME, startBrowser } from "../support/browser.ts";
import { OperatedDaemon } from "../support/operated-daemon.ts";
import { startForeignSite } from "./foreign-site.ts";

/** What a form can send. */
const FORM_TYPES = [
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "text/plain",
] as const;

/** What the foreign site is called: as we are, so that its pages are of the same site as ours, or in another way. */
const NAMES = ["127.0.0.1", REBOUND_NAME];

let daemon: OperatedDaemon;
let site: Awaited<ReturnType<typeof startForeignSite>>;
let browser: Browser | undefined;
let id: string;

beforeAll(async () => {
  daemon = await OperatedDaemon.open();
  site = await startForeignSite();
  id = await daemon.create("exec cat");
});

beforeEach(async (context) => {
  requireProgram(context, "chromium");
  browser ??= await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await site[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
});

/** Opens the foreign page; its name is another than the daemon's, or its port alone is. */
async function openForeign(name = "127.0.0.1"): Promise<Page> {
  if (!browser) throw new Error("no browser was started");
  const page = await browser.newPage();
  await page.goto(`http://${name}:${site.port}/`);
  return page;
}

describe("a page on another port", () => {
  test.each(NAMES)("of %s cannot read anything by fetch, not even with the token", async (name) => {
    await using page = await openForeign(name);
    const outcomes = await page.evaluate(
      async ({ origin, token, port }) => {
        const outcomeOf = (address: string, init: RequestInit): Promise<string> =>
          fetch(address, init).then(
            (response) => `answered ${response.status} as ${response.type}`,
            (error: unknown) => String(error),
          );
        const headers = { authorization: `Bearer ${token}` };
        return await Promise.all([
          outcomeOf(`${origin}/healthz`, {}),
          outcomeOf(`${origin}/app.js`, {}),
          outcomeOf(`${origin}/api/host`, { headers }),
          outcomeOf(`http://localhost:${port}/api/host`, { headers }),
          outcomeOf(`${origin}/api/host`, { headers, credentials: "include" }),
          outcomeOf(`${origin}/healthz`, { mode: "no-cors" }),
        ]);
      },
      { origin: daemon.origin, token: daemon.token, port: daemon.port },
    );
    expect(new Set(outcomes)).toEqual(new Set(["TypeError: Failed to fetch"]));
  });

  test.each(NAMES)("of %s changes nothing with what it can send unasked", async (name) => {
    const before = await daemon.state();
    await using page = await openForeign(name);
    const failures: unknown[] = [];
    page.on("requestfailed", (request) => failures.push(request.failure()?.errorText));
    await page.evaluate(
      async ({ origin, types, token, path }) => {
        const body = JSON.stringify({ command: "/bin/sh", data: "taken\r" });
        const paths = ["/api/terminals", "/api/exec", "/api/terminal/sessions", `${path}/input`];
        for (const address of [...paths, `/api/tokens?token=${token}`]) {
          for (const type of types) {
            const headers = { "content-type": type };
            const init = {
              method: "POST",
              mode: "no-cors",
              keepalive: true,
              headers,
              body,
            } as const;
            await fetch(origin + address, init).catch(() => undefined);
          }
        }
      },
      {
        origin: daemon.origin,
        types: FORM_TYPES,
        token: daemon.token,
        path: `/api/terminals/${id}`,
      },
    );
    expect(await daemon.state()).toEqual(before);
    // All were answered, and not even that may be seen.
    await expect
      .poll(() => failures)
      .toEqual(Array.from({ length: 15 }, () => "net::ERR_BLOCKED_BY_RESPONSE.NotSameOrigin"));
  });

  test("changes nothing by a form either", async () => {
    const before = await daemon.state();
    for (const type of FORM_TYPES) {
      await using page = await openForeign();
      const answered = page.waitForResponse((response) => response.url().includes("/api/exec"));
      await page.evaluate(
        ({ origin, enctype }) => {
          const form = document.createElement("form");
          Object.assign(form, { method: "post", action: `${origin}/api/exec`, enctype });
          const input = document.createElement("input");
          Object.assign(input, { name: `{"command":"/bin/sh","x":"`, value: `"}` });
          form.append(input);
          document.body.append(form);
          form.submit();
        },
        { origin: daemon.origin, enctype: type },
      );
      expect((await answered).status()).toBe(403);
    }
    expect(await daemon.state()).toEqual(before);
  });

  test.each(NAMES)(
    "of %s cannot open a WebSocket or a stream of events, not even with the token",
    async (name) => {
      await using page = await openForeign(name);
      const opened = await page.evaluate(
        async ({ host, token, path }) => {
          const guess = `nacre_${"A".repeat(43)}`;
          const asked: readonly (readonly [address: string, protocols?: string[]])[] = [
            [path],
            [path, ["nacre.control.v1", `nacre.bearer.${guess}`]],
            [path, [`nacre.bearer.${token}`]],
            [`${path}?ticket=${token}`],
            ["/api/terminal/ws", [`nacre.bearer.${token}`]],
            [`/ahp?tkn=${token}`],
            [`/?tkn=${token}`],
          ];
          const outcomes = asked.map(
            ([address, protocols]) =>
              new Promise<boolean>((resolve) => {
                const socket = new WebSocket(`ws://${host}${address}`, protocols);
                socket.addEventListener("open", () => resolve(true));
                socket.addEventListener("error", () => resolve(false));
              }),
          );
          const events = new EventSource(`http://${host}/api/events?channel=*`);
          const stream = new Promise<boolean>((resolve) => {
            events.addEventListener("open", () => resolve(true));
            events.addEventListener("error", () => resolve(events.readyState !== events.CLOSED));
          });
          return await Promise.all([...outcomes, stream]);
        },
        {
          host: new URL(daemon.origin).host,
          token: daemon.token,
          path: `/api/terminals/${id}/connect`,
        },
      );
      expect(opened).toEqual(Array.from({ length: 8 }, () => false));
    },
  );

  test("cannot frame the page, nor load anything of it", async () => {
    await using page = await openForeign();
    const loaded = await page.evaluate(async (origin) => {
      const add = (tag: string, attributes: Record<string, string>): Promise<string> =>
        new Promise((resolve) => {
          const element = document.createElement(tag);
          element.addEventListener("load", () => resolve(`${tag} loaded`));
          element.addEventListener("error", () => resolve(`${tag} failed`));
          for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
          document.body.append(element);
        });
      const outcomes = [
        add("script", { src: `${origin}/app.js` }),
        add("link", { rel: "stylesheet", href: `${origin}/app.css` }),
        add("img", { src: `${origin}/healthz` }),
        add("object", { data: `${origin}/` }),
      ];
      await add("iframe", { src: `${origin}/` });
      return await Promise.all(outcomes);
    }, daemon.origin);
    expect(loaded).toEqual(["script failed", "link failed", "img failed", "object failed"]);
    const [, frame] = page.frames();
    expect(frame?.url()).toBe("chrome-error://chromewebdata/");
  });

  test("cannot reach into a window with the page, nor into what it keeps", async () => {
    await using page = await openForeign();
    const opening = page.context().waitForEvent("page");
    await page.evaluate((url) => Reflect.set(window, "theirs", open(url)), daemon.urlWithToken);
    const theirs = await opening;
    await theirs.getByText("1 running, 1 in all").waitFor();
    const seen = await page.evaluate(() => {
      const other: unknown = Reflect.get(window, "theirs");
      const read = (what: string): string => {
        try {
          const value: unknown = Reflect.get(Object(other), what);
          return value === null || value === undefined ? "nothing" : "something";
        } catch (error) {
          return error instanceof Error ? error.name : "unknown";
        }
      };
      return {
        closed: Boolean(Reflect.get(Object(other), "closed")),
        sessionStorage: read("sessionStorage"),
        localStorage: read("localStorage"),
        document: read("document"),
        own: sessionStorage.length + localStorage.length,
      };
    });
    // The page is in a group of its own, so that for its opener it looks closed.
    expect(seen).toMatchObject({ closed: true, own: 0 });
    expect([seen.sessionStorage, seen.localStorage, seen.document]).not.toContain("something");
    expect(await theirs.evaluate(() => window.opener === null)).toBe(true);
  });
});

test("a name that an attacker points at this machine gets nothing", async () => {
  if (!browser) throw new Error("no browser was started");
  await using page = await browser.newPage();
  const url = `http://${REBOUND_NAME}:${daemon.port}/`;
  const answered = page.waitForResponse(url);
  // A browser shows a page of its own in place of an empty one.
  await page.goto(url).catch(() => undefined);
  const response = await answered;
  expect(response.status()).toBe(421);
  expect(await response.headerValue("content-length")).toBe("0");
});
