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

// Asks for each error of the suites of OpenAI's APIs: `ask` gets a prompt, and whether to ask for a stream.
async function fails({ BadRequestError, InternalServerError, RateLimitError }, ask) {
  for (const [status, kind, word] of [
    [400, BadRequestError, "bad"],
    [429, RateLimitError, "slow"],
    [500, InternalServerError, "oh"],
    [529, InternalServerError, "much"],
  ]) {
    for (const stream of [false, true]) {
      const error = await refused(kind, () => ask(`fail ${status}`, stream));
      assert.deepEqual([error.status, error.error.message], [status, word]);
      assert(error.requestID.startsWith("req_"), error);
    }
  }
}

async function all(stream) {
  const seen = [];
  for await (const one of stream) seen.push(one);
  return seen;
}

// As JSON tells it: without what is undefined, hidden or a method.
const plainly = (value) => JSON.parse(JSON.stringify(value));

module.exports = { all, assert, fails, plainly, refused, run };
