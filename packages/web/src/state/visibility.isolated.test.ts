import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { VisibilityWatch, whenVisible } from "./visibility.ts";

class Tab extends EventTarget {
  hidden = false;

  turn(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

let tab: Tab;

beforeEach(() => {
  tab = new Tab();
  vi.stubGlobal("document", tab);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a tab that nobody sees for a while gives up; one that is seen again soon does not", () => {
  using hidden = new VisibilityWatch();
  tab.turn(true);
  vi.advanceTimersByTime(20_000);
  tab.turn(false);
  vi.advanceTimersByTime(60_000);
  expect(hidden.signal.aborted).toBe(false);
  tab.turn(true);
  vi.advanceTimersByTime(30_000);
  expect(hidden.signal.aborted).toBe(true);
});

test("what waits for somebody goes on when the tab is seen", async () => {
  await whenVisible();
  tab.turn(true);
  const seen = vi.fn<() => void>();
  const waiting = whenVisible().then(seen);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).not.toHaveBeenCalled();
  tab.turn(false);
  await waiting;
  expect(seen).toHaveBeenCalledOnce();
});
