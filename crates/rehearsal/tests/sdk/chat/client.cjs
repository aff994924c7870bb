// Reads every answer of suite.yaml with the official library for Node.js, plain and streamed. Any warning and any difference is a failure.
const openai = require("openai");
const { all, assert, fails, plainly, run } = require("../parts.cjs");

const client = new openai.OpenAI({ baseURL: process.argv[2], apiKey: "test", maxRetries: 0 });
const model = "gpt-4o-mini";
const TOOLS = ["write_file", "one", "two"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} } },
}));
const user = (content) => ({ role: "user", content });

function said({ choices: [choice], usage }) {
  const { content, refusal, tool_calls: calls } = choice.message;
  return plainly([
    content ?? null,
    refusal ?? null,
    (calls ?? []).map(({ id, type, function: { name, arguments: text } }) => [id, type, name, text]),
    choice.finish_reason,
    usage,
  ]);
}

// The answer, which must be the same plain, streamed, and put together by the library.
async function ask(messages, more = {}) {
  const asked = { model, messages, tools: TOOLS, ...more };
  const plain = await client.chat.completions.create(asked);
  const usage = { stream_options: { include_usage: true } };
  const whole = await client.chat.completions.stream({ ...asked, ...usage }).finalChatCompletion();
  assert.deepEqual(said(whole), said(plain));
  const chunks = await all(await client.chat.completions.create({ ...asked, stream: true }));
  const words = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ""));
  assert.equal(words.join(""), plain.choices[0].message.content ?? "");
  for (const chunk of chunks) {
    assert.deepEqual([chunk.object, chunk.id, chunk.usage ?? null], ["chat.completion.chunk", chunks[0].id, null]);
  }
  return plain.choices[0];
}

async function words() {
  assert.equal((await ask([user("say text")])).message.content, 'Wörds, "quotes" and\nlines 🎭.');
  assert.equal((await ask([user("something else")])).message.content, "ok");
  assert.equal((await ask([user("say refusal")])).message.refusal, "I will not.");
  // The library throws what it streamed where the answer was cut, so that this one is asked for by hand.
  for (const [prompt, reason] of [["say length", "length"], ["say filter", "content_filter"]]) {
    const plain = await client.chat.completions.create({ model, messages: [user(prompt)] });
    const chunks = await all(await client.chat.completions.create({ model, messages: [user(prompt)], stream: true }));
    const reasons = chunks.map(({ choices }) => choices[0].finish_reason).filter((reason) => reason !== null);
    assert.deepEqual([plain.choices[0].finish_reason, reasons], [reason, [reason]]);
  }
  const parsed = await client.chat.completions.parse({
    model,
    messages: [user("say json")],
    response_format: {
      type: "json_schema",
      json_schema: { name: "person", schema: { type: "object", properties: { name: { type: "string" } } } },
    },
  });
  assert.equal(parsed.choices[0].message.content, '{"name": "Ann", "age": 7}');
}

async function tools() {
  const [call] = (await ask([user("say call")])).message.tool_calls;
  assert.deepEqual([call.function.name, call.function.arguments], ["write_file", '{"path": "a.txt", "content": "x\\n"}']);
  const { message, finish_reason } = await ask([user("say both")]);
  assert.deepEqual([message.content, finish_reason, message.tool_calls.length], ["Both at once.", "tool_calls", 2]);
  const results = message.tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "fine" }));
  assert.equal((await ask([user("say both"), message, ...results])).message.content, "done");
}

const errors = () =>
  fails(openai, (prompt, stream) => client.chat.completions.create({ model, messages: [user(prompt)], stream }));

run(words, tools, errors);
