import { CallerId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { Title } from "./title.ts";

const by = CallerId.parse("ann");

test("the program sets its title, and the same title is recorded once", () => {
  const title = new Title();
  expect(title.setByProgram("vim")).toEqual({ type: "title", title: "vim" });
  expect(title.setByProgram("vim")).toBeUndefined();
});

test("a title is shown once it is recorded", () => {
  const title = new Title();
  title.setByProgram("vim");
  expect(title.text).toBeUndefined();
  title.note("vim");
  expect(title.text).toBe("vim");
});

test("a name that a caller gave stays, whatever the program says", () => {
  const title = new Title();
  expect(title.setByCaller("build", by)).toEqual({ type: "title", title: "build", by });
  expect(title.setByProgram("make")).toBeUndefined();
});

test("taking the name away shows the program's title again", () => {
  const title = new Title();
  title.setByCaller("build", by);
  title.setByProgram("make");
  expect(title.setByCaller("", by)).toEqual({ type: "title", title: "make", by });
});
