import { expect, test } from "vitest";
import { readPendingLine, resumeIntegration } from "./integration.ts";
import { MarkerNonces } from "./marker-nonces.ts";

/** What another host finds in what a shell wrote. */
function pendingIn(write: (marker: (payload: string) => string) => string) {
  const { secret } = MarkerNonces.generate();
  const shell = new MarkerNonces(secret);
  const text = write((payload) => `\u001b]633;${payload};nacre=${shell.next()}\u0007`);
  const written = Buffer.from(text).toString("latin1");
  const integration = resumeIntegration({ shell: "bash", quality: "exact", secret }, written);
  return integration && readPendingLine(written, integration);
}

test("the line that a shell told last is that of the command it is about to begin", () => {
  const found = pendingIn(
    (marker) => `${marker("A")}$ ${marker("B")}x${marker("E;echo ä\\x3b b")}`,
  );
  expect(found).toMatchObject({ kind: "commandLine", line: "echo ä; b" });
});

test("a command that was begun, or a line that somebody else wrote, is none", () => {
  expect(pendingIn((marker) => marker("E;make") + marker("C"))).toBeUndefined();
  expect(pendingIn((marker) => `${marker("E;make")}output`)).toBeUndefined();
  const forged = "\u001b]633;E;rm -rf;nacre=1.2\u0007";
  expect(pendingIn((marker) => marker("B") + forged)).toBeUndefined();
  const again = (last: string): string => last + last.replace("633;B", "633;E;rm -rf");
  expect(pendingIn((marker) => again(marker("B")))).toBeUndefined();
});
