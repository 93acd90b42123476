import { AttachAddon } from "@xterm/addon-attach";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { draw, newEmulator, screenOf } from "../support/headless-emulator.ts";
import { outputOf, untilText } from "../support/terminal-output.ts";
import { type Client, connectPath, openServer, type TestServer } from "./raw-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** An emulator that follows a terminal and answers what programs ask, as every viewer's does. */
class Viewer implements Disposable {
  readonly client: Client;
  readonly answers: string[] = [];
  readonly #emulator = newEmulator();
  #drawn: Promise<void> = Promise.resolve();

  constructor(client: Client) {
    this.client = client;
    client.socket.on("message", (data: Buffer) => {
      this.#drawn = draw(this.#emulator, data);
    });
    this.#emulator.onData((data) => {
      this.answers.push(data);
      client.socket.send(data);
    });
  }

  /** Resolves when this was drawn, so that it was answered as well. */
  async seen(text: string): Promise<void> {
    await this.client.until(() => this.client.text.includes(text));
    await this.#drawn;
  }

  [Symbol.dispose](): void {
    this.#emulator.dispose();
  }
}

const QUERIES = [
  ["primary attributes", "\\033[c", "^[[?1;2c"],
  ["secondary attributes", "\\033[>c", "^[[>0;276;0c"],
  ["status", "\\033[5n", "^[[0n"],
  ["the cursor in the first row", "\\033[6n", "^[[1;2R"],
  ["the cursor further down", "\\033[7;9H\\033[6n", "^[[7;9R"],
  ["a mode", "\\033[?2004$p", "^[[?2004;2$y"],
  ["a setting", "\\033P$qr\\033\\\\\\\\", "^[P1$r1;24r^[\\"],
] as const;

describe.each([0, 1, 5])("with %i viewers that answer", (count) => {
  test.each(QUERIES)(
    "a program that asks about %s gets one answer",
    async (_what, query, answer) => {
      // Whatever is typed is shown by its letters; the first key lets the program ask.
      const ask = `dd bs=1 count=1 2>/dev/null >/dev/null; printf '${query}#'`;
      const terminal = await server.create(`stty raw -echo; printf r; ${ask}; exec cat -v`);
      await untilText(terminal, "r");
      using stack = new DisposableStack();
      const viewers = Array.from({ length: count }, () =>
        stack.use(new Viewer(server.connect(connectPath(terminal.id, "?cursor=0")))),
      );
      await Promise.all(viewers.map((viewer) => viewer.seen("r")));
      await terminal.write("g", { by: server.caller });
      await Promise.all(viewers.map((viewer) => viewer.seen("#")));
      expect(viewers.map(({ answers }) => answers.length)).toEqual(viewers.map(() => 1));
      // What is typed behind the answers arrives behind them.
      for (const { client } of viewers) client.socket.send(Buffer.from("."));
      await untilText(terminal, answer.slice(-4));
      await Promise.all(
        viewers.map((viewer) => viewer.client.until(() => dotsIn(viewer.client.text) === count)),
      );
      const [, typed = ""] = (await outputOf(terminal)).split("#");
      expect(typed.replaceAll(".", "")).toBe(answer);
    },
  );
});

const dotsIn = (text: string): number => text.split(".").length - 1;

describe("xterm.js with its attach addon", () => {
  test("shows a terminal and types into it, with nothing but the address", async () => {
    const terminal = await server.create("printf 'name? '; read name; echo hello $name; cat");
    await untilText(terminal, "name? ");
    const client = server.connect(connectPath(terminal.id));
    const emulator = newEmulator();
    // The addon is made for browsers; sockets and emulators of both worlds have the same methods.
    const addon = new AttachAddon(client.socket as never);
    addon.activate(emulator as never);
    const drawn = (text: string) =>
      new Promise<void>((resolve) => {
        const look = emulator.onWriteParsed(() => {
          if (!screenOf(emulator).includes(text)) return;
          look.dispose();
          resolve();
        });
      });
    await drawn("name?");
    const greeted = drawn("hello world");
    emulator.input("world\r");
    await greeted;
    expect(screenOf(emulator)).toBe("name? world\nhello world");
    emulator.dispose();
  });
});
