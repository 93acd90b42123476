// The list of terminals. Everything from outside goes into text nodes; nothing becomes markup.

const TOKEN_KEY = "nacre.token";
/** A refresh follows the first change at once, and then not more often than this. */
const REFRESH_MS = 500;
/** Ages grow and terminals leave the list without an event. */
const IDLE_REFRESH_MS = 10_000;
const MAX_RETRY_MS = 10_000;

const statusLine = document.getElementById("status");
const help = document.getElementById("help");
const empty = document.getElementById("empty");
const list = document.getElementById("list");
const body = document.getElementById("terminals");

/** Takes the token out of the address, so that it is neither shown nor kept in the history. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(TOKEN_KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(TOKEN_KEY);
}

let token = takeToken();
let isRefreshing = false;
let refreshAgain = false;
let lastEventId;

function ask(path, headers = {}) {
  return fetch(path, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    credentials: "omit",
    cache: "no-store",
  });
}

function say(text) {
  statusLine.textContent = text;
}

function showOnly(element) {
  for (const one of [help, empty, list]) one.hidden = one !== element;
}

function needToken(text) {
  token = null;
  sessionStorage.removeItem(TOKEN_KEY);
  showOnly(help);
  say(text);
}

function ageOf(createdAt) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(createdAt)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

function stateOf({ state, exitCode, signal }) {
  if (state !== "exited") return state;
  return signal ? `${state} (${signal})` : `${state} (${exitCode ?? "?"})`;
}

function cell(text, className = "") {
  const element = document.createElement("td");
  element.textContent = text;
  element.className = className;
  return element;
}

function rowOf(terminal) {
  const row = document.createElement("tr");
  const title = cell(terminal.title);
  title.title = terminal.id;
  row.append(
    title,
    cell(stateOf(terminal), terminal.state),
    cell(`${terminal.owner.entityName} ${terminal.owner.entityId}`),
    cell(terminal.runningCommand?.commandLine ?? (terminal.inputNeeded ? "waits for input" : "")),
    cell(ageOf(terminal.createdAt)),
  );
  return row;
}

function show(terminals) {
  showOnly(terminals.length === 0 ? empty : list);
  body.replaceChildren(...terminals.map(rowOf));
  const running = terminals.filter(({ state }) => state === "active").length;
  say(`${running} running, ${terminals.length} in all`);
}

async function readAll() {
  const all = [];
  for (let after = ""; ;) {
    const response = await ask(`/api/terminals?limit=1000${after}`);
    if (response.status === 401) return needToken("The token is not good any more.");
    if (!response.ok) throw new Error(`the host answered ${response.status}`);
    const page = await response.json();
    all.push(...page.terminals);
    if (!page.truncated) return all;
    after = `&after=${encodeURIComponent(page.nextAfter)}`;
  }
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function refresh() {
  refreshAgain = isRefreshing;
  if (isRefreshing || token === null) return;
  isRefreshing = true;
  try {
    const terminals = await readAll();
    if (terminals) show(terminals);
  } catch {
    say("The host does not answer; trying again.");
  }
  await wait(REFRESH_MS);
  isRefreshing = false;
  if (refreshAgain) await refresh();
}

/** Reads one stream of events to its end; what they say is read again from the list. */
async function listen() {
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const response = await ask("/api/events?channel=terminal:*.data.changed", headers);
  if (response.status === 401) return needToken("The token is not good any more.");
  if (!response.ok) throw new Error(`the host answered ${response.status}`);
  void refresh();
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("id: ")) lastEventId = line.slice(4);
      if (line.startsWith("data: ")) void refresh();
    }
  }
}

async function listenForEver() {
  for (let retryMs = 1000; token !== null; retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)) {
    const startedAt = Date.now();
    try {
      await listen();
    } catch {
      say("The host does not answer; trying again.");
    }
    if (Date.now() - startedAt > MAX_RETRY_MS) retryMs = 1000;
    await wait(retryMs);
  }
}

if (token === null) needToken("Not connected.");
else void listenForEver();
setInterval(() => void refresh(), IDLE_REFRESH_MS);
addEventListener("hashchange", () => {
  if (takeToken() !== null) location.reload();
});
