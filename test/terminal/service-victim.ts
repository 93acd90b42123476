// A program that has sessions of the TerminalService of its process, and then has nothing more to do.
import { getTerminalService } from "@nacre/host";

const service = getTerminalService();
const listed = Promise.withResolvers<void>();
const firstEnded = Promise.withResolvers<void>();
let environment = "";
let ended = 0;
service.onData((_, data) => {
  environment += data;
  if (environment.includes("all-listed")) listed.resolve();
});
service.onExit(() => {
  ended++;
  firstEnded.resolve();
});

const options = { shell: "/bin/sh", cwd: "/tmp" };
const first = await service.createSession(options);
if (!first) throw service.lastError;
service.write(first.id, "env; echo all-$(echo listed)\r");
await listed.promise;
service.killSession(first.id);
await firstEnded.promise;
await service.createSession(options);
await service.cleanup();
process.stdout.write(JSON.stringify({ maxSessions: service.getMaxSessions(), environment, ended }));
