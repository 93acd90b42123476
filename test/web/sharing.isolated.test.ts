// A person and an agent at one terminal: who drives, who asks, and what stays secret.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { PATIENCE, picture, screenText } from "../support/browser.ts";
import { placeOf, WebRig } from "./web-rig.ts";

let rig: WebRig;

beforeAll(async () => {
  rig = await WebRig.open();
});
beforeEach((context) => requireProgram(context, "chromium"));
afterAll(() => rig[Symbol.asyncDispose]());

test("a person takes over from an agent, types, and gives back", async () => {
  const agent = await rig.agent("helper");
  const id = await rig.shell(agent, { name: "Release", inputPolicy: "holder" });
  await agent.runCommand({ id, commandLine: "echo by the agent" });
  const { page, complaints } = await rig.page(placeOf(id));
  const holder = page.locator(".terminal-head .holder");
  await holder.filter({ hasText: "helper" }).waitFor();
  await expect.poll(() => screenText(page), PATIENCE).toContain("by the agent");
  await picture(page, "agent");
  // The policy of this terminal lets nobody type but who holds it.
  await page.keyboard.type("x");
  await page.getByRole("status").filter({ hasText: "take over" }).waitFor();

  await page.getByRole("button", { name: "Take over" }).click();
  await holder.filter({ hasText: "You" }).waitFor();
  await page.keyboard.type("echo by a p''erson");
  await page.keyboard.press("Enter");
  await expect.poll(() => screenText(page), PATIENCE).toContain("by a person");
  await expect(agent.sendInput({ id, data: "x" })).rejects.toMatchObject({ code: "claim_held" });

  await page.getByRole("button", { name: "Give back" }).click();
  await holder.filter({ hasText: "helper" }).waitFor();
  const { outcome } = await agent.runCommand({ id, commandLine: "echo again" });
  expect(outcome).toBe("ended");
  expect(complaints).toEqual([]);
});

test("a terminal is handed over with a note", async () => {
  const agent = await rig.agent("worker");
  const id = await rig.shell(agent);
  const { page, complaints } = await rig.page(placeOf(id));
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByRole("button", { name: "Hand over" }).click();
  await page.getByLabel("worker").check();
  await page.getByLabel("Note, for whoever goes on").fill("the tests are green");
  await picture(page, "hand-over");
  await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).click();
  await page.locator(".terminal-head .holder", { hasText: "worker" }).waitFor();
  const { entries } = await agent.findRecordingEntries({ terminalId: id, types: ["claim"] });
  expect(entries.at(-1)).toMatchObject({ note: "the tests are green", reason: "handover" });
  expect(complaints).toEqual([]);
});

test("who asks for control is answered where it is seen", async () => {
  const agent = await rig.agent("asker");
  const id = await rig.shell(agent, { name: "Asked for" });
  const { page, complaints } = await rig.page(placeOf(id));
  await page.getByRole("button", { name: "Take over" }).click();
  await page.locator(".terminal-head .holder", { hasText: "You" }).waitFor();
  const note = "the build is next";
  const first = agent.requestControl({ id, note, wait: true });
  await page.locator(".banner").filter({ hasText: note }).waitFor();
  await page.getByRole("button", { name: "All terminals" }).click();
  const need = page.getByRole("listitem").filter({ hasText: note });
  await picture(page, "asked");
  await need.getByRole("button", { name: "Decline" }).click();
  expect((await first).outcome).toBe("denied");
  await need.waitFor({ state: "detached" });
  const second = agent.requestControl({ id, note, wait: true });
  await need.getByRole("button", { name: "Hand over" }).click();
  expect((await second).outcome).toBe("granted");
  expect(complaints).toEqual([]);
});

test("a secret is answered in the list and at the terminal, and is nowhere afterwards", async () => {
  const id = await rig.shell(rig.operator, { name: "Login" });
  const ask = async (): Promise<void> => {
    const data = "read -rsp 'Password: ' p; echo; echo ${#p} letters\r";
    await rig.operator.sendInput({ id, data });
  };
  await ask();
  const { page, complaints, urls } = await rig.page();
  const need = page.getByRole("listitem").filter({ hasText: "asks for a secret" });
  await need.getByLabel("Secret answer").fill("correct-horse");
  expect(await need.getByLabel("Secret answer").getAttribute("type")).toBe("password");
  await picture(page, "secret-in-list");
  await page.keyboard.press("Enter");
  await rig.operator.waitFor({ id, until: [{ kind: "text", text: "13 letters" }], after: 0 });
  await need.waitFor({ state: "detached" });

  await ask();
  await page.getByRole("link", { name: "Login" }).first().click();
  await picture(page, "secret");
  await page.getByLabel("Secret answer").fill("battery-staple!");
  await page.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => screenText(page), PATIENCE).toContain("15 letters");
  const kept = await page.evaluate(() => ({
    page: document.documentElement.outerHTML,
    fields: Array.from(document.querySelectorAll("input"), ({ value }) => value),
    stored: JSON.stringify([sessionStorage, localStorage]),
  }));
  const recorded = await rig.operator.findRecordingEntries({ terminalId: id, limit: 1000 });
  const everything = JSON.stringify([kept, urls, recorded]);
  expect(everything).not.toContain("correct-horse");
  expect(everything).not.toContain("battery-staple");
  expect(complaints).toEqual([]);
});

test("what an agent asks people is answered or declined on the page", async () => {
  const agent = await rig.agent("curious");
  const id = await rig.shell(agent, { name: "Questions" });
  const { page, complaints } = await rig.page();
  const data = "read -rp 'Which branch? ' b; echo on $b; read -rs t\r";
  await agent.sendInput({ id, data });
  const until = [{ kind: "inputNeeded" } as const];
  await agent.waitFor({ id, until, after: 0 });
  const typed = { kind: "type", prompt: "Which branch shall I use?", wait: true } as const;
  const first = agent.requestInput({ id, ...typed });
  const need = page.getByRole("listitem").filter({ hasText: "Which branch shall I use?" });
  await need.getByText("This is typed into the program").waitFor();
  await need.getByLabel("Answer").fill("main");
  await picture(page, "question-in-list");
  await need.getByRole("button", { name: "Send" }).click();
  expect((await first).outcome).toBe("answered");
  await agent.waitFor({ id, until: [{ kind: "text", text: "on main" }], after: 0 });
  const second = agent.requestInput({ id, prompt: "And the token?", secret: true, wait: true });
  await page.getByRole("link", { name: "Questions" }).first().click();
  const banner = page.locator(".banner").filter({ hasText: "And the token?" });
  expect(await banner.getByLabel("Secret answer").getAttribute("type")).toBe("password");
  await picture(page, "question");
  await banner.getByRole("button", { name: "Decline" }).click();
  expect((await second).outcome).toBe("declined");
  expect(complaints).toEqual([]);
});

test("P-A1: a decision goes back to the agent from the page, and nothing is typed", async () => {
  const agent = await rig.agent("decider");
  const id = await rig.shell(agent, { name: "Decisions" });
  const { page, complaints } = await rig.page();
  const choices = [{ value: "yes", label: "Deploy it" }, { value: "no" }];
  const deploy = agent.requestInput({ id, prompt: "Shall I deploy?", choices, wait: true });
  const need = page.getByRole("listitem").filter({ hasText: "Shall I deploy?" });
  await need.getByText("This goes back to decider").waitFor();
  await picture(page, "decision");
  await need.getByRole("button", { name: "Deploy it" }).click();
  expect(await deploy).toMatchObject({ outcome: "answered", text: "yes" });
  const words = agent.requestInput({ id, prompt: "Which branch?", wait: true });
  await page.getByRole("link", { name: "Decisions" }).first().click();
  const banner = page.locator(".banner").filter({ hasText: "Which branch?" });
  await banner.getByLabel("Answer").fill("main");
  await banner.getByRole("button", { name: "Send" }).click();
  expect(await words).toMatchObject({ outcome: "answered", text: "main" });
  const { entries } = await agent.findRecordingEntries({ terminalId: id, types: ["input"] });
  expect(entries).toEqual([]);
  expect(complaints).toEqual([]);
});

test("P-A1: the page says that no program reads yet what is to be typed", async () => {
  const agent = await rig.agent("early");
  const id = await rig.shell(agent, { name: "Early" });
  await agent.sendInput({ id, data: "printf be%s gun; sleep 1000\r" });
  await agent.waitFor({ id, until: [{ kind: "text", text: "begun" }], after: 0 });
  await agent.requestInput({ id, prompt: "Your name?", kind: "type" });
  const { page, complaints } = await rig.page();
  const need = page.getByRole("listitem").filter({ hasText: "Your name?" });
  await need.getByText("No program reads this yet").waitFor();
  await agent.sendInput({ id, keys: ["C-c"] });
  await agent.sendInput({ id, data: "read -r name\r" });
  await need.getByText("This is typed into the program").waitFor();
  expect(complaints).toEqual([]);
});

test("P-A2: a question that lapsed is shown until somebody dismisses it", async () => {
  const agent = await rig.agent("patient");
  const id = await rig.shell(agent, { name: "Lunch" });
  await agent.requestInput({ id, prompt: "Anybody there?", wait: true, expiresInMs: 1 });
  const { page } = await rig.page();
  const need = page.getByRole("listitem").filter({ hasText: "Anybody there?" });
  await need.getByText("lapsed").waitFor();
  await need.getByRole("button", { name: "Dismiss" }).click();
  await need.waitFor({ state: "detached" });
  expect((await agent.readTerminal({ id })).lapsedRequests).toBeUndefined();
});

test("P-A1: a secret that the page sends when the program asks no more is refused, and is nowhere", async () => {
  const id = await rig.shell(rig.operator, { name: "Late" });
  await rig.operator.sendInput({ id, data: "read -rsp 'Password: ' p\r" });
  await rig.operator.waitFor({ id, until: [{ kind: "inputNeeded" }], after: 0 });
  const { page } = await rig.page();
  const need = page.getByRole("listitem").filter({ hasText: "Late" }).first();
  const field = need.getByLabel("Secret answer");
  await field.fill("correct-horse-late");
  // The page has not heard yet that the program was interrupted.
  await page.route("**/api/terminals/*/input", async (route) => {
    const { sequence } = await rig.operator.waitFor({
      id,
      until: [{ kind: "exit" }],
      timeoutMs: 0,
    });
    await rig.operator.sendInput({ id, keys: ["C-c"] });
    await rig.operator.waitFor({ id, until: [{ kind: "prompt" }], after: sequence });
    await route.continue();
  });
  await field.press("Enter");
  await page.getByRole("status").filter({ hasText: "would run the answer" }).waitFor();
  const recorded = await rig.operator.findRecordingEntries({ terminalId: id, limit: 1000 });
  expect(JSON.stringify(recorded)).not.toContain("correct-horse");
});

test("the page offers no answer where a shell would run it as the rest of a command line", async () => {
  const id = await rig.shell(rig.operator, { name: "Unfinished" });
  await rig.operator.sendInput({ id, data: "echo 'abc\r" });
  await rig.operator.waitFor({ id, until: [{ kind: "inputNeeded" }], after: 0 });
  await rig.operator.moveClaim({ id, claim: { kind: "session", session: "agent-7" } });
  const { page, complaints } = await rig.page();
  const need = page
    .getByRole("listitem")
    .filter({ hasText: "waits for the rest of a command line" });
  await need.waitFor();
  expect(await need.getByRole("textbox").count()).toBe(0);
  await need.getByRole("link", { name: "Look" }).click();
  const banner = page.locator(".banner").filter({ hasText: "rest of a command line" });
  await banner.waitFor();
  expect(await banner.getByRole("textbox").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a page never answers what a program asks of its terminal", async () => {
  const id = await rig.shell();
  const { page } = await rig.page(placeOf(id));
  const sent: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => sent.push(payload.toString())),
  );
  await page.reload();
  await page.locator(".xterm-rows").waitFor();
  const questions =
    "\\033[c\\033[5n\\033[6n\\033[?6n\\033[>c\\033[?2004$p\\033P$qm\\033\\\\\\033]11;?\\a";
  await rig.operator.runCommand({
    id,
    commandLine: `printf '${questions}'; sleep 0.2; echo as''ked`,
  });
  await expect.poll(() => screenText(page), PATIENCE).toContain("asked");
  expect(sent.filter((frame) => frame.includes("\u001b"))).toEqual([]);
});
