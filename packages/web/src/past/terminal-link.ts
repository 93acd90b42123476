import { TerminalId } from "@nacre/contracts";
import { linkTo } from "../app/place.ts";
import { writeMoment } from "./moment.ts";

const PREFIX = "terminal:";

/** The id that a part of a path stands for; undefined when it stands for none. */
export const idOfPath = (part: string): TerminalId | undefined =>
  TerminalId.safeParse(part.startsWith(PREFIX) ? part : PREFIX + part).data;

/** The path of the player of a recording. */
export const playerPath = (id: TerminalId): string => `/r/${id.slice(PREFIX.length)}`;

/** The link to a recording, at a moment of it where there is one. */
export const linkToMoment = (id: TerminalId, ms?: number): string =>
  linkTo(playerPath(id), ms === undefined ? {} : { t: writeMoment(ms) });

/** The link to the terminal itself. */
export const linkToTerminal = (id: TerminalId): string => linkTo(`/t/${id.slice(PREFIX.length)}`);
