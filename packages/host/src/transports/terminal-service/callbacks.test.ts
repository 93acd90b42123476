import { expect, test } from "vitest";
import { Callbacks } from "./session-service.ts";

function callbacks() {
  const problems: unknown[] = [];
  return { all: new Callbacks<[number]>((error) => problems.push(error)), problems };
}

test("all are called with what happened, in the order in which they were added", () => {
  const { all } = callbacks();
  const heard: string[] = [];
  all.add((number) => heard.push(`first ${number}`));
  all.add((number) => heard.push(`second ${number}`));
  all.call(1);
  expect(heard).toEqual(["first 1", "second 1"]);
});

test("one that was taken away is not called any more, and the same one twice is two", () => {
  const { all } = callbacks();
  const heard: number[] = [];
  const callback = (number: number): void => void heard.push(number);
  const remove = all.add(callback);
  all.add(callback);
  all.call(1);
  remove();
  remove();
  all.call(2);
  expect(heard).toEqual([1, 1, 2]);
});

test("one that throws does not hurt the others, and what it threw is reported", () => {
  const { all, problems } = callbacks();
  const problem = new Error("not my day");
  const heard: number[] = [];
  all.add(() => {
    throw problem;
  });
  all.add((number) => heard.push(number));
  all.call(7);
  expect(heard).toEqual([7]);
  expect(problems).toEqual([problem]);
});

test("those that somebody else keeps are called too, as they are at that moment", () => {
  const more: ((number: number) => void)[] = [];
  const all = new Callbacks<[number]>(
    () => undefined,
    () => more,
  );
  const heard: number[] = [];
  all.call(1);
  more.push((number) => heard.push(number));
  all.call(2);
  expect(heard).toEqual([2]);
});

test("one that takes itself away while it is called disturbs nobody", () => {
  const { all } = callbacks();
  const heard: string[] = [];
  const remove = all.add(() => {
    heard.push("once");
    remove();
  });
  all.add(() => heard.push("always"));
  all.call(1);
  all.call(2);
  expect(heard).toEqual(["once", "always", "always"]);
});
