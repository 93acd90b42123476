/** What came back for one request. */
export interface Answer {
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  /** By name in small letters; the last of several. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const HEAD_END = "\r\n\r\n";

const NO_ANSWER: Answer = { status: 0, headers: new Map(), body: "" };

/** Puts an answer together as it comes. */
export class AnswerReader {
  readonly #hasBody: boolean;
  #text = "";
  #head: Omit<Answer, "body"> | undefined;

  constructor(method: string) {
    this.#hasBody = method !== "HEAD";
  }

  /** Takes more of it; the answer once it is whole, or as much of a stream as tells what it is. */
  add(chunk: Buffer): Answer | undefined {
    this.#text += chunk.toString("latin1");
    if (!this.#head) {
      const end = this.#text.indexOf(HEAD_END);
      if (end < 0) return undefined;
      this.#head = headOf(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + HEAD_END.length);
    }
    return this.#text.length < this.#leastLength(this.#head) ? undefined : this.end();
  }

  /** What there is when nothing more comes; what follows an upgrade is none of it. */
  end(): Answer {
    if (!this.#head) return NO_ANSWER;
    return { ...this.#head, body: this.#head.status === 101 ? "" : this.#text };
  }

  #leastLength({ headers }: Omit<Answer, "body">): number {
    if (!this.#hasBody) return 0;
    const length = headers.get("content-length");
    if (length !== undefined) return Number(length);
    return headers.get("content-type")?.startsWith("text/event-stream") ? 1 : 0;
  }
}

function headOf(text: string): Omit<Answer, "body"> {
  const [line = "", ...lines] = text.split("\r\n");
  const headers = lines.map((header): [string, string] => {
    const colon = header.indexOf(":");
    return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
  });
  return { status: Number(line.split(" ")[1]), headers: new Map(headers) };
}
