// What the clients for Node.js share: a line of stdin names what is asked for, a line of JSON tells what was heard.
const { createInterface } = require("node:readline");
const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");

const PROMPTS = { text: "How is the weather?", calls: "Write two files, please." };
const SCHEMA = { type: "object", properties: { path: { type: "string" }, content: { type: "string" }, tags: { type: "array" } } };
const OPTIONS = { baseURL: process.argv[2], apiKey: "test", timeout: 3000, maxRetries: 2 };

const call = (id, name, args) => ({ id, name, arguments: args });

const tell = (told) => console.log(JSON.stringify(told));

// The version of a package whose entry is at its top; not every package lets its package.json be required.
const version = (name) => JSON.parse(readFileSync(join(dirname(require.resolve(name)), "package.json"))).version;

// Asks in the form that the command line names; `own` is the class of all errors that the library makes.
async function serve(name, own, forms) {
  tell({ version: version(name) });
  const form = forms[process.argv[3]];
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      const [text, calls, reason, refusal] = await form(PROMPTS[line.trim()]);
      tell({ text: text ?? "", calls, reason: reason ?? null, refusal: refusal ?? null });
    } catch (error) {
      tell({ error: error.constructor.name, own: error instanceof own, status: error.status ?? null });
    }
  }
}

module.exports = { OPTIONS, SCHEMA, call, serve };
