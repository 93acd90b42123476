import type { Size } from "@nacre/contracts";

/** Output under a name that tells what it is. */
export interface OutputStep {
  readonly name: string;
  readonly bytes: string;
  readonly size?: undefined;
}

/** One thing that happens to a screen: output, or another size. */
export type Step =
  | OutputStep
  | { readonly name: "resize"; readonly size: Size; readonly bytes?: undefined };

const TEXTS = new Set(["text", "wide", "narrow", "marks"]);

/** Whether a step of this name is letters and nothing else. */
export const isTextName = (name: string): boolean => TEXTS.has(name);

/** What is not text but acts on the place where the cursor is. */
export const isActingName = (name: string): boolean => ACTING.has(name);

const ACTING = new Set(
  "BS LF lines IND NEL RI VPA CUU CUD CUF CUB ED EL ICH DCH ECH IL DL TAB HTS TBC CBT".split(" "),
);
