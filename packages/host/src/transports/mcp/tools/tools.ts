import type { Tool } from "../tool.ts";
import { claimTool } from "./claim.ts";
import { closeTool, createTool, listTool, resizeTool, signalTool } from "./lifecycle.ts";
import { execTool, runTool } from "./exec.ts";
import { historyTool, searchTool } from "./history.ts";
import { readTool, waitTool } from "./read.ts";
import { requestInputTool } from "./request-input.ts";
import { keysTool, screenTool, writeTool } from "./write.ts";

/** Most used first. */
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
