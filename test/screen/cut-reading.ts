// What comes out of output that is read in pieces; it must not depend on the pieces.
import { Emulator } from "../../packages/host/src/screen/emulator.ts";
import { renderScreen } from "../../packages/host/src/screen/render-screen.ts";
import type { Marker } from "../../packages/host/src/shell/marker.ts";
import { MarkerNonces } from "../../packages/host/src/shell/marker-nonces.ts";
import { OutputParser } from "../../packages/host/src/shell/output-parser.ts";
import { EmulatorInputFilter } from "../../packages/host/src/shell/emulator-input-filter.ts";
import { RECORDED_SIZE, type Recorded } from "./recordings.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** What the parser makes of output. */
export interface Reading {
  readonly raw: Bytes;
  /** What is drawn of it. */
  readonly view: Bytes;
  /** The same as it is made again from what was recorded. */
  readonly replayed: Bytes;
  /** Each with the offset in the raw output where it ends. */
  readonly markers: readonly (Marker & { readonly at: number })[];
  readonly titles: readonly string[];
}

/** Reads chunks as a terminal does. */
export function parse(
  { secret }: Pick<Recorded, "name" | "secret">,
  chunks: readonly Bytes[],
): Reading {
  const codes = secret === undefined ? undefined : new MarkerNonces(secret);
  const parser = new OutputParser(codes ? { nonces: codes } : { trustForeign: true });
  const pieces = chunks.flatMap((chunk) => parser.push(new Uint8Array(chunk)));
  const all = [...pieces, ...parser.flush()];
  const replay = new EmulatorInputFilter();
  let at = 0;
  const markers: (Marker & { at: number })[] = [];
  const titles: string[] = [];
  for (const { raw, marker, title } of all) {
    at += raw.length;
    if (marker) markers.push({ ...marker, at });
    // Two titles in one piece count as the last of them, so only changes that stay are compared.
    if (title !== undefined && title !== titles.at(-1)) titles.push(title);
  }
  return {
    raw: joined(all.map(({ raw }) => raw)),
    view: joined(all.map(({ drawn }) => drawn)),
    replayed: joined(all.map(({ raw }) => replay.push(raw))),
    markers,
    titles,
  };
}

const joined = (parts: readonly Bytes[]): Bytes => new Uint8Array(Buffer.concat(parts));

/** The digest of the screen after chunks that may end anywhere. */
export function screenOf(chunks: readonly Bytes[]): string {
  using emulator = new Emulator({ size: RECORDED_SIZE, scrollback: 0 });
  for (const chunk of chunks) emulator.writeAll(chunk);
  return hashOf(emulator);
}

/** The digest of what an emulator shows. */
export const hashOf = (emulator: Emulator): string =>
  renderScreen(emulator, { sequence: 0, format: "text" }).hash;

/** A recording in two chunks. */
export const cutAt = (bytes: Bytes, at: number): readonly Bytes[] => [
  bytes.subarray(0, at),
  bytes.subarray(at),
];
