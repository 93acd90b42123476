import type { NacreError, StorageInfo, TerminalId, TerminalRecordingEntry } from "@nacre/contracts";
import type { RecordingWorkers, StorageOptions } from "./parts.ts";
import type { RecorderState } from "./write.ts";

/** How recordings are kept, and who is told what happens to them. */
export interface RecordingsOptions extends StorageOptions {
  /** Whether recordings can be written changed. */
  handleState?(state: RecorderState): void;
  /** The disk became full, fails, runs low, or is well again. */
  handleStorage?(storage: StorageInfo): void;
  /** An entry was appended that nobody asked for: a gap. */
  handleEntry?(entry: TerminalRecordingEntry): void;
  /** A recording was found to be damaged; told once for each. */
  handleDamage?(terminalId: TerminalId, error: NacreError): void;
  /** The index was found to be damaged; it is made anew from the recordings. Told once, until a search went well again. */
  handleIndexDamage?(error: unknown): void;
  /** A thread ended by itself; it is started anew. */
  readonly handlePartEnd?: (part: keyof RecordingWorkers, error: Error) => void;
}
