import { safeLines } from "@nacre/client/ui";
import type { ScreenFormat } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { parseDurationMs } from "../duration.ts";
import { TERMINAL } from "../terminal-words.ts";
import { writePrivate } from "../write-file.ts";

export const screenCommand: Command = {
  name: "screen",
  section: "driving",
  summary: "Show what a terminal shows, now or at an earlier moment",
  description:
    "Works for terminals that have ended, too. As text it has no escape sequences; the other formats go to a file or a pipe.",
  arguments: [TERMINAL],
  options: [
    {
      name: "format",
      short: "f",
      value: "FORMAT",
      choices: ["text", "ansi", "html", "svg", "cells"],
      description: "How it is written down; text when absent",
    },
    { name: "at", value: "SEQUENCE", description: "As of this entry of the recording" },
    {
      name: "at-time",
      value: "TIME",
      description: "So long after the recording began, such as 1m30s",
    },
    {
      name: "output",
      short: "o",
      value: "FILE",
      description: "Write it to a file that only you can read",
    },
  ],
  examples: [
    { line: "nacre screen build", about: "what it shows now" },
    { line: "nacre screen build --at-time 1s", about: "what it showed after a second" },
    { line: "nacre screen build -f svg -o screen.svg", about: "a picture" },
  ],

  async run(context) {
    const { call, options } = context;
    const { id } = await context.terminal(context.args[0]);
    const format = (options.text("format") ?? "text") as ScreenFormat;
    const at = options.integer("at");
    const time = options.text("at-time");
    const screen = await call("readScreen", {
      id,
      format,
      ...(at === undefined ? {} : { at }),
      ...(time === undefined ? {} : { atElapsedMs: parseDurationMs(time, "at-time") }),
    });
    const content = format === "text" ? safeLines(screen.text) : (screen.content ?? "");
    const file = options.text("output");
    if (file !== undefined && file !== "-") {
      await writePrivate(file, content);
      return { result: { ...screen, content: undefined, file }, text: "" };
    }
    if (format !== "text" && process.stdout.isTTY && !context.isJson) {
      throw new NacreError(
        "invalid_argument",
        `screen: refusing to write ${format} to a terminal`,
        {
          field: "format",
          suggestion: "Write it to a file with -o, or leave --format out.",
        },
      );
    }
    return { result: screen, text: format === "text" ? content.trimEnd() : content };
  },
};
