import { serveScreens } from "./replica-scheduler.ts";

serveScreens();
