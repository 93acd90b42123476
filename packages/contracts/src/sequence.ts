import { z } from "zod";

/** An Entry's position in its Recording: 1, 2, 3… without holes. */
export const Sequence = z
  .int()
  .min(1)
  .meta({ description: "Position of an entry in its recording: 1, 2, 3… without holes." });
export type Sequence = z.infer<typeof Sequence>;

/** The sequence before the one wanted first; 0 means from the beginning. */
export const AfterSequence = z.int().min(0).meta({
  description: "Only entries with a greater sequence; 0 means from the beginning.",
});
export type AfterSequence = z.infer<typeof AfterSequence>;

/** A byte's position in the raw output of a Terminal, counted from 0, in whatever view it is shown. */
export const Offset = z.int().min(0).meta({
  description:
    "Position of a byte in the raw output of a terminal, from 0; always counts raw bytes.",
});
export type Offset = z.infer<typeof Offset>;
