// A host whose programs are in a keeper; made to be killed.
import { join } from "node:path";
import { ClientId, type TerminalId } from "@nacre/contracts";
import { findDirectories } from "../../config/directories.ts";
import { createHost, LOCAL_CALLER } from "../../host.ts";
import { terminalId } from "../../testing/terminal-row.ts";
import { KeeperProcess } from "../keeper-process.ts";
import { Log } from "../log.ts";
import { ensurePrivateDirectory } from "../private-directory.ts";

const [home = ""] = process.argv.slice(2);
const directories = findDirectories({ NACRE_HOME: home }, home);
ensurePrivateDirectory(directories.run);
const log = new Log({ state: directories.state, level: "info", sink: () => undefined });
const ending = { keepsPrograms: false };
const keeper = await KeeperProcess.open({ directories, version: "victim", log, ending });
const host = await createHost({
  directory: join(directories.state, "recordings"),
  driver: keeper.driver("terminal"),
  pipes: keeper.driver("pipes"),
});

// A daemon that was told to stop and ran out of time.
process.on("SIGUSR2", () => {
  keeper.endWithProcess();
  process.exit(1);
});

const by = { ...LOCAL_CALLER, clientId: ClientId.parse("victim") };

const create = async (id: TerminalId, script: string) =>
  await host.createTerminal(
    {
      owner: { entityName: "Task", entityId: "7" },
      workingDirectory: home,
      command: "/bin/sh",
      args: ["-c", script],
    },
    { id, by, inputPolicy: "holder" },
  );

const RAW = "stty raw -echo -opost";
await create(
  terminalId("counting"),
  `${RAW}; printf '\\033]2;counted\\007' | tee -a truth; i=0; while [ ! -e stop ]; do i=$((i+1)); echo line $i | tee -a truth; done; exit 9`,
);
const asking = await create(terminalId("asking"), `${RAW}; printf ready; exec cat`);
await create(
  terminalId("ending"),
  `${RAW}; while [ ! -e gone ]; do sleep 0.05; done; printf bye; exit 5`,
);
await asking.resize({ cols: 100, rows: 30 }, by);
const owner = { entityName: "Task", entityId: "7" };
const env = { HOME: "/nonexistent" };
const input = { owner, workingDirectory: home, shell: "/bin/bash", env };
const shell = await host.createTerminal(input, { id: terminalId("shell"), by });
await shell.runCommand({ commandLine: "echo before" }, by);
await shell.write(Buffer.from("while [ ! -e stop ]; do sleep 0.02; done; false\n"), { by });
while (shell.status.runningCommand === undefined) await new Promise(setImmediate);
process.stdout.write("up\n");
