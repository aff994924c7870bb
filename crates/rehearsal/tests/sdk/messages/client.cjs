// Reads every answer of suite.yaml with the official library for Node.js, plain and streamed. Any warning and any difference is a failure.
const { Anthropic, ...kinds } = require("@anthropic-ai/sdk");
const { assert, plainly, refused, run } = require("../parts.cjs");

const client = new Anthropic({ baseURL: process.argv[2], apiKey: "test" });
const model = "claude-rehearsal";
const WEATHER = {
  name: "get_weather",
  description: "Weather.",
  input_schema: { type: "object", properties: { city: { type: "string" } } },
};
const thinking = { type: "enabled", budget_tokens: 1024 };
const KINDS = {
  400: [kinds.BadRequestError, "invalid_request_error"],
  401: [kinds.AuthenticationError, "authentication_error"],
  403: [kinds.PermissionDeniedError, "permission_error"],
  404: [kinds.NotFoundError, "not_found_error"],
  413: [kinds.APIError, "request_too_large"],
  429: [kinds.RateLimitError, "rate_limit_error"],
  500: [kinds.InternalServerError, "api_error"],
  529: [kinds.InternalServerError, "overloaded_error"],
};

const user = (content) => ({ role: "user", content });

// What the library's helpers add to what came is theirs.
function said({ content, stop_reason, stop_details, usage }) {
  const bare = plainly(content).map(({ parsed, ...block }) => block);
  return [bare, stop_reason, plainly(stop_details ?? null), usage.output_tokens];
}

// The answer, which must be the same plain and streamed.
async function ask(messages, more = {}) {
  const asked = { model, max_tokens: 2000, messages, ...more };
  const plain = await client.messages.create(asked);
  assert.deepEqual(said(await client.messages.stream(asked).finalMessage()), said(plain));
  return plain;
}

async function words() {
  const hello = await ask([user("Say hello to me please.")]);
  assert.deepEqual([hello.content[0].text, hello.stop_reason], ['Hello. Grüße 😀 "q" \\ \n end', "end_turn"]);
  assert.equal((await ask([user("Talk until you are cut off.")])).stop_reason, "max_tokens");
  assert.equal((await ask([user("Answer me at the second attempt.")])).content[0].text, "Now.");
  assert.equal((await ask([user("Do something bad now.")])).stop_reason, "refusal");
}

async function tools() {
  const asked = [user("Weather in Paris, please?")];
  const answer = await ask(asked, { tools: [WEATHER], thinking });
  const [thought, text, call] = answer.content;
  assert.deepEqual([thought.thinking, text.text], ["I will look it up. Ünïcode.", "Let me look."]);
  assert.equal(call.input.city, 'Paris "x" \\ \n é 😀');
  const result = { type: "tool_result", tool_use_id: call.id, content: "sunny" };
  const history = [...asked, { role: "assistant", content: answer.content }, user([result])];
  assert.equal((await ask(history, { tools: [WEATHER], thinking })).content[0].text, "It is sunny.");
  const broken = [...asked, { role: "assistant", content: [{ ...thought, thinking: "Other." }, text, call] }, user([result])];
  const error = await refused(kinds.BadRequestError, () => ask(broken, { tools: [WEATHER], thinking }));
  assert(error.message.includes("messages.1.content.0"), error);
}

async function errors() {
  for (const [status, [kind, word]] of Object.entries(KINDS)) {
    for (const stream of [false, true]) {
      const asked = { model, max_tokens: 2000, messages: [user(`Fail with the status ${status}.`)], stream };
      const error = await refused(kind, () => client.messages.create(asked, { maxRetries: 0 }));
      assert.deepEqual([error.status, error.error.error.type, error.error.error.message], [Number(status), word, "told"]);
      assert.equal(error.requestID, error.error.request_id);
    }
  }
}

async function beside() {
  const counted = await client.messages.countTokens({ model, messages: [user("hi there you")] });
  assert.equal(counted.input_tokens, 3);
  const { data } = await client.models.list();
  assert(data.length > 0 && data.every(({ created_at }) => created_at.startsWith("2026-")), data);
  assert.equal((await client.models.retrieve("claude-x")).id, "claude-x");
}

run(words, tools, errors, beside);
