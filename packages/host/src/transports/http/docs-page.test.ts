import { OPERATIONS, SUBSCRIPTIONS, TRANSFERS } from "@nacre/contracts";
import { expect, test } from "vitest";
import { makeReference } from "./docs-page.ts";
import { html } from "./html-text.ts";
import { loadPage } from "./page.ts";
import { PAGE_POLICY } from "./reply.ts";
import { startRouter } from "./testing/router-rig.ts";

const { docs, openApi } = makeReference();

test("the page has every request with an example", () => {
  for (const [name, { http }] of Object.entries({
    ...OPERATIONS,
    ...SUBSCRIPTIONS,
    ...TRANSFERS,
  })) {
    expect(docs).toContain(`<section class="operation" id="${name}">`);
    expect(docs).toContain(`<code>${http.method} ${http.path}</code>`);
  }
  const examples = docs.split("<h4>Example</h4>").length - 1;
  expect(examples).toBe(Object.keys({ ...OPERATIONS, ...SUBSCRIPTIONS, ...TRANSFERS }).length);
});

test("every link on the page leads somewhere", () => {
  const ids = new Set([...docs.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
  const links = [...docs.matchAll(/ href="#([^"]+)"/g)].map((match) => match[1]);
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((link) => !ids.has(link))).toEqual([]);
});

test("the page has no script and no style of its own", () => {
  expect(docs).not.toMatch(/<script|<style|\son\w+=|\sstyle=|javascript:/i);
});

test("texts cannot become markup", () => {
  const hostile = `<img src=x onerror="alert('1')">&`;
  expect(html`<b title="${hostile}">${hostile}</b>${[html`<i>${"<"}</i>`]}`.text).toBe(
    '<b title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;">' +
      "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</b><i>&lt;</i>",
  );
});

test("both forms are served, also together, and made in another thread", async () => {
  await using rig = await startRouter();
  rig.admission = undefined;
  const [page, document] = await Promise.all([rig.fetch("/docs"), rig.fetch("/openapi.json")]);
  expect(page.headers.get("content-security-policy")).toBe(PAGE_POLICY);
  expect(await page.text()).toBe(docs);
  expect(await document.text()).toBe(openApi);
});

test("the page has only files of its own, and neither scripts nor styles in its markup", async () => {
  await using rig = await startRouter();
  const page = await rig.fetch("/");
  expect(page.headers.get("content-security-policy")).toBe(PAGE_POLICY);
  const text = await page.text();
  const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
  expect(new Set(files)).toEqual(new Set(["/icon.svg", "/app.js", "/app.css", "/docs"]));
  for (const file of files) expect((await rig.fetch(file)).status).toBe(200);
  expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|javascript:/i);
});

test("a checkout whose page was not built says so", () => {
  const [only, ...others] = loadPage(new URL("./nowhere/", import.meta.url));
  expect(only?.path).toBe("/");
  expect(String(only?.reply.body)).toContain("not built yet");
  expect(others).toEqual([]);
});
