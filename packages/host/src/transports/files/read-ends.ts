import { decodeBytes, MAX_OUTPUT_BYTES, type OutputPosition } from "@nacre/contracts";
import { formatCursor } from "./cursor.ts";
import type { OperationContext, OperationOutcome } from "./operation-context.ts";
import { plainText } from "./plain-text.ts";

type CallOperation = OperationContext["call"];

/** The end of an output says more than its beginning: that is where errors are. */
const HEAD_SHARE = 0.4;

/** The end is looked for in so many of the last entries, and in four times as many while that is not enough. */
const LAST_ENTRIES = 8;

/** Of which output how much is shown. */
interface HeadTailRequest {
  readonly id: string;
  readonly maxBytes: number;
  /** How much there is; markers of shells count and are not shown. */
  readonly totalBytes: number;
}

/** The output of a program that ended: all of it, or its beginning and its end. `cursor` goes on behind the beginning. */
export async function readHeadAndTail(
  { id, maxBytes, totalBytes }: HeadTailRequest,
  call: CallOperation,
): Promise<OperationOutcome["result"]> {
  const isLong = totalBytes > maxBytes;
  const headBytes = isLong ? Math.floor(maxBytes * HEAD_SHARE) : maxBytes;
  const page = await call("readOutput", { id, position: { after: 0 }, maxBytes: headBytes });
  const head = decodeBytes(page);
  const result = {
    n: head.byteLength,
    data_b64: encodeBase64(head),
    eof: page.ended,
    cursor: formatCursor(page.position),
  };
  if (page.ended) return { ...result, text: plainText(head), truncated: false };
  const tail = await readTail({ id, from: page.position, maxBytes: maxBytes - headBytes }, call);
  const omitted = Math.max(0, totalBytes - head.byteLength - tail.byteLength);
  const notice = `[${omitted} of ${totalBytes} bytes left out here: read terminal_id ${id} from cursor ${result.cursor}]`;
  return {
    ...result,
    tail_b64: encodeBase64(tail),
    text: `${plainText(head).replace(/\n?$/, "\n")}${notice}\n${plainText(tail)}`,
    truncated: true,
    omitted_bytes: omitted,
  };
}

interface TailRequest {
  readonly id: string;
  /** Where the beginning ended that is shown already. */
  readonly from: OutputPosition;
  readonly maxBytes: number;
}

/** The last bytes behind a position. */
async function readTail({ id, from, maxBytes }: TailRequest, call: CallOperation): Promise<Buffer> {
  const until = [{ kind: "exit" }];
  const { sequence: last } = await call("waitFor", { id, until, timeoutMs: 0 });
  for (let entries = LAST_ENTRIES; ; entries *= 4) {
    const isAll = last - entries <= from.after;
    const tail = await readToEnd(
      { id, from: isAll ? from : { after: last - entries }, maxBytes },
      call,
    );
    if (isAll || tail.byteLength >= maxBytes) return tail;
  }
}

async function readToEnd(
  { id, from, maxBytes }: TailRequest,
  call: CallOperation,
): Promise<Buffer> {
  let tail = Buffer.alloc(0);
  for (let position = from; ;) {
    const page = await call("readOutput", { id, position, maxBytes: MAX_OUTPUT_BYTES });
    tail = Buffer.concat([tail, decodeBytes(page)]).subarray(-maxBytes);
    if (page.ended || page.data === "") return tail;
    ({ position } = page);
  }
}

const encodeBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
