import { WebSocket } from "ws";
import { z } from "zod";

/** What a daemon is started with so that it can be told to collect its garbage. */
export const INSPECTABLE = {
  NODE_OPTIONS: "--inspect=127.0.0.1:0",
  NACRE_KEEPER: "off",
} as const;

const COLLECT = "HeapProfiler.collectGarbage";

/** What an inspected process says; what is not known here does not count. */
const Said = z.union([
  z.object({
    method: z.literal("NodeWorker.attachedToWorker"),
    params: z.object({ sessionId: z.string() }),
  }),
  z.object({ method: z.literal("NodeWorker.receivedMessageFromWorker"), params: z.unknown() }),
  z.object({ id: z.int() }),
]);

/** Lets all threads of a process that is started so collect their garbage: what it keeps afterwards, it needs. */
export async function collectGarbage(saidOnError: string): Promise<void> {
  const address = /^Debugger listening on (ws:\S+)$/m.exec(saidOnError)?.[1];
  if (address === undefined) throw new Error("the daemon cannot be told to collect its garbage");
  const socket = new WebSocket(address);
  const say = (message: object): void => socket.send(JSON.stringify(message));
  const threads: string[] = [];
  let left = 1;
  await new Promise<void>((resolve, reject) => {
    socket.on("open", () => {
      say({ id: 1, method: "NodeWorker.enable", params: { waitForDebuggerOnStart: false } });
    });
    socket.on("message", (data: Buffer) => {
      const said = Said.safeParse(JSON.parse(data.toString())).data;
      if (said === undefined) return;
      if ("id" in said && said.id === 1) {
        // All threads there are have been told before this answer.
        left = threads.length + 1;
        const message = JSON.stringify({ id: 1, method: COLLECT });
        for (const [at, sessionId] of threads.entries()) {
          const params = { sessionId, message };
          say({ id: 3 + at, method: "NodeWorker.sendMessageToWorker", params });
        }
        say({ id: 2, method: COLLECT });
      } else if ("method" in said && said.method === "NodeWorker.attachedToWorker") {
        threads.push(said.params.sessionId);
      } else if ("method" in said || said.id === 2) {
        left -= 1;
        if (left === 0) resolve();
      }
    });
    socket.on("error", reject);
  });
  socket.terminate();
}
