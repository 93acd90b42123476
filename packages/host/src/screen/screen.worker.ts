import { serveScreens } from "./drawing-table.ts";

serveScreens();
