import { describe, expect, test } from "vitest";
import { ReplyDedup, ReplyRateLimit } from "./reply-dedup.ts";

describe("answers", () => {
  function answers(through = 0) {
    const sent: string[] = [];
    const gate = new ReplyDedup(through, (reply) => sent.push(new TextDecoder().decode(reply)));
    return { gate, sent };
  }

  test("are sent once, however often their query is drawn", () => {
    const { gate, sent } = answers();
    for (const text of ["a", "again"]) gate.offer({ sequence: 3, offset: 0, ordinal: 0 }, text);
    gate.offer({ sequence: 3, offset: 0, ordinal: 1 }, "b");
    gate.offer({ sequence: 2, offset: 9, ordinal: 9 }, "earlier");
    gate.offer({ sequence: 3, offset: 8192, ordinal: 0 }, "c");
    gate.offer({ sequence: 4, offset: 0, ordinal: 0 }, "d");
    expect(sent).toEqual(["a", "b", "c", "d"]);
  });

  test("are not sent for what is drawn already", () => {
    const { gate, sent } = answers(10);
    gate.offer({ sequence: 10, offset: 5, ordinal: 5 }, "before us");
    gate.close(12);
    gate.offer({ sequence: 12, offset: 0, ordinal: 0 }, "drawn");
    gate.offer({ sequence: 13, offset: 0, ordinal: 0 }, "new");
    expect(sent).toEqual(["new"]);
  });

  test("are at most 100 in any second", () => {
    const limit = new ReplyRateLimit();
    const allowed = (from: number): number =>
      Array.from({ length: 300 }, (_, at) => limit.allows(from + at)).filter(Boolean).length;
    expect(allowed(0)).toBe(100);
    expect(allowed(500)).toBe(0);
    expect(limit.allows(1_000)).toBe(true);
  });
});
