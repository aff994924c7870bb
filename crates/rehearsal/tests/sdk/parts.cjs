// What the clients for Node.js share: their parts run in turn, each told once it went well, and any warning is a failure.
const assert = require("node:assert/strict");

process.on("warning", (warning) => {
  throw warning;
});

async function run(...parts) {
  for (const part of parts) {
    await part();
    console.log(part.name);
  }
}

// The error that asking must end with.
async function refused(kind, ask) {
  try {
    await ask();
  } catch (error) {
    assert(error instanceof kind, error);
    return error;
  }
  assert.fail(`${kind.name} was not thrown`);
}

async function all(stream) {
  const seen = [];
  for await (const one of stream) seen.push(one);
  return seen;
}

// As JSON tells it: without what is undefined, hidden or a method.
const plainly = (value) => JSON.parse(JSON.stringify(value));

module.exports = { all, assert, plainly, refused, run };
