// Entry point; the host serves the built page.
import "./no-eval.ts";
import { render } from "preact";
import { App } from "./app/app.tsx";
import { applyTheme } from "./state/theme.ts";

applyTheme();
const root = document.getElementById("app");
if (root) render(<App />, root);
