import { execFileSync } from "node:child_process";
import { CallerId, TerminalId } from "@nacre/contracts";
import { choosePtyDriver, defaultLaunchPolicy, prepareLaunch, Recordings } from "@nacre/host";
import { expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { ownDirectory } from "../support/own-directory.ts";

const CANARY = "canary-Tr0ub4dor";
const id = TerminalId.parse("terminal:asked");

/** Programs that ask for a secret, each in its own way, and say so first. */
const PROMPTS: readonly (readonly [program: string, script: string])[] = [
  ["bash", "read -rs -p 'Password: ' x; echo; echo \"got ${#x}\""],
  ["zsh", "read -rs 'x?Password: '; echo; echo \"got ${#x}\""],
  ["sh", "stty -echo; printf 'Password: '; read -r x; stty echo; echo; echo \"got ${#x}\""],
];

test.for(PROMPTS)(
  "a secret typed into the prompt of %s is in no file",
  async ([program, script], { skip }) => {
    requireProgram({ skip }, program);
    using own = ownDirectory();
    const directory = own.path;
    await using recordings = await Recordings.open({ directory });
    const owner = { entityName: "Test", entityId: "1" };
    const createdAt = new Date().toISOString();
    const recording = await recordings.create({ id, owner, workingDirectory: "/", createdAt });
    const driver = await choosePtyDriver();
    const request = { command: program, args: ["-c", script] };
    await using pty = await driver.spawn(await prepareLaunch(request, defaultLaunchPolicy("0")));
    let shown = "";
    let isTyped = false;
    for (let chunk = await pty.read(); chunk; chunk = await pty.read()) {
      shown += Buffer.from(chunk.bytes).toString();
      await recording.append({ type: "output", offset: chunk.offset, data: chunk.bytes });
      if (isTyped || !shown.includes("Password: ")) continue;
      isTyped = true;
      for (const key of `${CANARY}\r`.split("")) {
        const data = new Uint8Array(Buffer.from(key));
        const { echo, canonical } = await pty.state();
        const isSecret = echo === false && canonical === true;
        await recording.appendInput({ data, by: CallerId.parse("ann"), isSecret });
        await pty.write(Buffer.from(key));
      }
    }
    expect(shown).toContain(`got ${CANARY.length}`);
    await recording.seal();
    await recordings.whenIndexed();
    const { entries } = await recordings.findEntries({ terminalId: id, types: ["input"] });
    expect(entries).toMatchObject([{ redacted: true, lengthBucket: "9-32", by: "ann" }]);
    const count = execFileSync("sh", [
      "-c",
      `cat "$1"/* | grep -aciF -e "$2" || true`,
      "sh",
      directory,
      "Tr0ub4dor",
    ]);
    expect(count.toString().trim()).toBe("0");
  },
);
