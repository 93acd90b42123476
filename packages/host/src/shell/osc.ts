import { hostname } from "node:os";
import { isMarkerNumber, OscNumber } from "./osc-number.ts";
import { decodePath, percentDecode, decodeTitle } from "./osc-text.ts";

/** What an operating system command is about, as far as it matters here. */
export type Osc =
  | { readonly kind: "marker"; readonly family: MarkerFamily; readonly payload: string }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "cwd"; readonly path: string };

/** The two numbers under which shells send Markers. */
export type MarkerFamily = 133 | 633;

const FILE_URI = /^file:\/\/([^/]*)(\/[^]*)$/i;
const CURRENT_DIRECTORY = "CurrentDir=";

/** Reads what stands between the beginning and the end of an operating system command, one character per byte. */
export function parseOsc(body: string): Osc | undefined {
  const number = parseOscNumber(body);
  const semicolon = body.indexOf(";");
  const payload = semicolon < 0 ? undefined : body.slice(semicolon + 1);
  switch (number) {
    case 133:
    case 633:
      return { kind: "marker", family: number, payload: payload ?? "" };
    case 0:
    case 2:
      return payload === undefined ? undefined : { kind: "title", title: decodeTitle(payload) };
    case 7:
      return toCwd(localPath(payload ?? ""));
    case 1337:
      return payload?.startsWith(CURRENT_DIRECTORY)
        ? toCwd(payload.slice(CURRENT_DIRECTORY.length))
        : undefined;
    case undefined:
      return undefined;
  }
  return undefined;
}

/** Tells whether an operating system command is a Marker, which no view shows. */
export const isMarker = (body: string): boolean => isMarkerNumber(parseOscNumber(body));

/** Clipboards and files: the operating system commands that are as long as what they carry. */
const LONG = /^0*(?:52|1337);/;

/** Tells whether what stands at the beginning of an operating system command lets it be of any length. */
export const mayBeLong = (body: string): boolean => LONG.test(body);

function parseOscNumber(body: string): number | undefined {
  const number = new OscNumber();
  number.push(body);
  return number.value;
}

function toCwd(bytes: string): Osc | undefined {
  const path = decodePath(bytes);
  return path === undefined ? undefined : { kind: "cwd", path };
}

/** A path of another machine is none of this one. */
function localPath(uri: string): string {
  const [, host = "", path = ""] = FILE_URI.exec(uri) ?? [];
  const isLocal = ["", "localhost", hostname().toLowerCase()].includes(host.toLowerCase());
  return isLocal ? percentDecode(path) : "";
}
