// What a Terminal showed, for who begins to follow it: soon and of a bounded size, also in the middle of a flood.
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import type { ScreenPicture } from "../screen/screen-change.ts";
import { EntryViews } from "./appender.ts";
import { ContentBuilder, type TerminalContent } from "./content.ts";
import type { DrawRequest } from "./screen-history.ts";
import type { TerminalReader } from "./terminal-reader.ts";

/** More content than this is not kept in parts: what is older is one part that draws the screen before it. */
const MAX_CONTENT_BYTES = 1024 * 1024;

/** The same in a flood that is not drawn as fast as it comes: spelled for a wire it may take six times as much. */
const MAX_FLOOD_BYTES = 256 * 1024;

/** The same for content of many small entries, which cost more than their bytes. */
const MAX_CONTENT_ENTRIES = 20_000;

/** A page of entries is bounded by its bytes; this bounds it when they are small. */
const PAGE_ENTRIES = 1000;

/** Screens are kept every 4 MiB: where the last one is further away, drawing is behind and would take too long. */
const MAX_DRAWN_BYTES = 8 * 1024 * 1024;

/** How long a screen is waited for while a flood goes on, to which threads that draw give way; nobody waits for more than two. */
const FLOOD_SCREEN_MS = 300;

/** The same where nothing more comes, so that waiting makes nothing worse. */
const MAX_SCREEN_MS = 10_000;

type ContentSource = Pick<TerminalReader, "lastSequence" | "history" | "glance">;

export interface ContentOptions {
  /** Up to which entry, the newest when absent; looked at as late as possible. */
  readonly through?: (() => number) | undefined;
  /** Whether a screen is waited for although more comes. */
  readonly isPatient?: boolean | undefined;
  /** Who waits for it, where that is known. */
  readonly requester?: DrawRequester | undefined;
}

/** Where the screen before it is not drawn in time, the one drawn so far stands for it. */
export async function readContent(
  source: ContentSource,
  { through = () => source.lastSequence, isPatient = false, requester }: ContentOptions = {},
): Promise<TerminalContent> {
  const last = through();
  const isFlood = (): boolean => !isPatient && through() !== last;
  const entries = await readNewestEntries(source, last, MAX_CONTENT_BYTES);
  const first = entries[0]?.sequence ?? 1;
  if (first <= 1) return await buildContent(source, { entries });
  const at = { sequence: first - 1, format: "ansi", requester } as const;
  const soonDrawn = await drawSoon(source, at, isFlood);
  if (soonDrawn) return await buildContent(source, { screen: soonDrawn, entries });
  const glance = source.glance("ansi");
  if (glance) return await readFlood(source, await settleSoon(glance, isFlood), through);
  // Nothing follows any more, so that whoever asks can wait.
  const screen = await source.history.picture(at);
  return await buildContent(source, { screen, entries });
}

/** The screen as of an entry, if it can be had in time. */
async function drawSoon(
  { history }: ContentSource,
  { requester, ...at }: DrawRequest,
  isFlood: () => boolean,
): Promise<ScreenPicture | undefined> {
  const late = new AbortController();
  const signal = AbortSignal.any([late.signal, ...(requester?.signal ? [requester.signal] : [])]);
  const asked = { ...at, requester: { ...requester, signal }, maxBytes: MAX_DRAWN_BYTES };
  try {
    return await settleSoon(history.pictureSoon(asked), isFlood);
  } finally {
    late.abort();
  }
}

/** What is drawn by now and what came since; where that is too much, only the newest of it. */
async function readFlood(
  source: ContentSource,
  screen: ScreenPicture | undefined,
  through: () => number,
): Promise<TerminalContent> {
  const newest = await readNewestEntries(source, through(), MAX_FLOOD_BYTES);
  const entries = newest.filter(({ sequence }) => sequence > (screen?.sequence ?? 0));
  return { ...(await buildContent(source, { screen, entries })), provisional: true };
}

interface ContentWindow {
  /** The screen before the entries, unless they are all there are. */
  readonly screen?: ScreenPicture | undefined;
  readonly entries: readonly RecordedEntry[];
}

async function buildContent(
  source: ContentSource,
  { screen, entries }: ContentWindow,
): Promise<TerminalContent> {
  const drawn = screen?.sequence ?? 0;
  const first = entries[0]?.sequence ?? drawn + 1;
  const parts = new ContentBuilder();
  parts.begin(screen?.content ?? "");
  const isWhole = first <= 1;
  if (!isWhole) await beginCommand(source, parts, first);
  const views = new EntryViews();
  for (const entry of entries) parts.push(views.of(entry));
  const sequence = entries.at(-1)?.sequence ?? Math.max(1, drawn);
  return { sequence, parts: parts.parts, truncated: !isWhole, provisional: false };
}

/** Begins with the command that was running before an entry. */
async function beginCommand(
  { history: { recording } }: ContentSource,
  parts: ContentBuilder,
  first: number,
): Promise<void> {
  const [before] = await recording.readEntries({
    before: first,
    types: ["command", "commandEnd"],
    limit: 1,
    maxBytes: 1,
  });
  if (before?.type === "command") parts.push({ entry: before });
}

/** The newest entries up to one, as many as fit. */
async function readNewestEntries(
  { history: { recording } }: ContentSource,
  through: number,
  maxBytes: number,
): Promise<RecordedEntry[]> {
  const pages: RecordedEntry[][] = [];
  let [count, restBytes] = [0, maxBytes];
  for (let before = through + 1; before > 1;) {
    const page = await recording.readEntries({
      before,
      limit: PAGE_ENTRIES,
      maxBytes: restBytes,
    });
    const [first] = page;
    if (!first) break;
    pages.push(page);
    count += page.length;
    restBytes -= page.reduce((sum, entry) => sum + sizeOf(entry), 0);
    if (page.length < PAGE_ENTRIES || restBytes <= 0 || count >= MAX_CONTENT_ENTRIES) break;
    before = first.sequence;
  }
  return pages.toReversed().flat();
}

const sizeOf = (entry: RecordedEntry): number =>
  entry.type === "output" || entry.type === "input" ? (entry.data?.byteLength ?? 0) : 0;

/** What comes in time, which is short while a flood goes on; what fails later concerns nobody. */
async function settleSoon<Result>(
  work: Promise<Result>,
  isFlood: () => boolean,
): Promise<Result | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Result | undefined>();
  let waitedMs = 0;
  const timer = setInterval(() => {
    waitedMs += FLOOD_SCREEN_MS;
    if (isFlood() || waitedMs >= MAX_SCREEN_MS) resolve(undefined);
  }, FLOOD_SCREEN_MS);
  work.then(resolve, reject);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}
