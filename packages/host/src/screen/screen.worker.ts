import { serveScreens } from "./serve-screens.ts";

serveScreens();
