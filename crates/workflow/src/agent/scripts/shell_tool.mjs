// The one tool of Rehearsal's small Node.js agents: a command in the current folder. And how they find their packages.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);

// `import` alone knows no NODE_PATH.
export const load = (name) => import(pathToFileURL(require.resolve(name)).href);

export const NAME = "run_command";
export const DESCRIPTION = "Run a shell command in the workspace; gives its output and its exit status.";
export const PARAMETERS = {
  type: "object",
  properties: { command: { type: "string", description: "The command." } },
  required: ["command"],
  additionalProperties: false,
};

export function runCommand({ command }) {
  if (typeof command !== "string") return "error: the arguments must be an object with a text `command`";
  const ran = spawnSync("sh", ["-c", `{ ${command}\n} 2>&1`], {
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
    timeout: 60_000,
  });
  return `${ran.stdout}exit status ${ran.status}`;
}
