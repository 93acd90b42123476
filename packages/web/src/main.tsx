// The web page begins here; the host serves what is built from it.
import "./no-eval.ts";
import { render } from "preact";
import { App } from "./app/app.tsx";
import { applyTheme } from "./state/theme.ts";

applyTheme();
const root = document.getElementById("app");
if (root) render(<App />, root);
