// What the benchmark of throughput and its viewers tell each other.

/** How a viewer reaches its terminal. */
export type ViewerWire = "nacre" | "ttyd" | "plain" | "tmux";

/** What a viewer is to do: watch a flood to its end, or press keys. */
export interface ViewerTask {
  readonly wire: ViewerWire;
  readonly address: string;
  readonly token: string;
  /** What the terminal runs, where the viewer starts it. */
  readonly line: string;
  /** So many bytes are the whole flood. */
  readonly bytes: number;
  /** So many keys are pressed; 0 when a flood is to be watched. */
  readonly keys: number;
}

/** What a viewer tells. */
export type Told =
  | { readonly kind: "ready" }
  | {
      readonly kind: "flood";
      readonly seconds: number;
      readonly resyncs: number;
      /** Absent where the wire does not bring every byte. */
      readonly checksum?: number;
    }
  | { readonly kind: "keys"; readonly times: readonly number[] };

/** What a program writes when it waits for the viewer. */
export const READY = "ready";

/** What a program writes when it has written everything else. */
export const END = "all is written";
