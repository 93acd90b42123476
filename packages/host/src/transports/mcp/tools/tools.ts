import type { Tool } from "../tool.ts";
import { claimTool } from "./claim.ts";
import { createTool } from "./create.ts";
import { closeTool, signalTool } from "./end.ts";
import { execTool } from "./exec.ts";
import { historyTool } from "./history.ts";
import { listTool } from "./list.ts";
import { readTool } from "./read.ts";
import { requestInputTool } from "./request-input.ts";
import { resizeTool } from "./resize.ts";
import { runTool } from "./run.ts";
import { screenTool } from "./screen.ts";
import { searchTool } from "./search.ts";
import { waitTool } from "./wait.ts";
import { keysTool, writeTool } from "./write.ts";

/** Every tool there is, the most used first. */
export const TOOLS: readonly Tool[] = [
  execTool,
  createTool,
  runTool,
  writeTool,
  keysTool,
  readTool,
  screenTool,
  waitTool,
  listTool,
  resizeTool,
  signalTool,
  closeTool,
  claimTool,
  requestInputTool,
  searchTool,
  historyTool,
];
