// Reads every answer of suite.yaml with the official library for Node.js, plain and streamed. Any warning and any difference is a failure.
const openai = require("openai");
const { all, assert, fails, plainly, refused, run } = require("../parts.cjs");

const client = new openai.OpenAI({ baseURL: process.argv[2], apiKey: "test", maxRetries: 0 });
const TOOLS = ["write_file", "one", "two"].map((name) => ({
  type: "function",
  name,
  parameters: { type: "object", properties: {} },
  strict: false,
}));
const CUSTOM = [{ type: "custom", name: "apply_patch", description: "Changes files." }];

const asked = (input, more) => ({
  model: "gpt-5",
  input,
  tools: TOOLS,
  reasoning: { summary: "auto" },
  include: ["reasoning.encrypted_content"],
  ...more,
});
const create = (input, more = {}) => client.responses.create(asked(input, more));
const user = (content) => ({ role: "user", content });

// What the library's helpers add to what came is theirs.
function said({ output, status, incomplete_details: cut, usage, error }) {
  assert.equal(error, null);
  const bare = plainly(output).map((item) => {
    const content = item.content?.map(({ parsed, ...part }) => part);
    const { parsed_arguments: parsed, ...rest } = item;
    return content ? { ...rest, content } : rest;
  });
  return [bare, status, plainly(cut), plainly(usage)];
}

// The answer, which must be the same plain, streamed, and put together by the library.
async function ask(input, more = {}) {
  const plain = await create(input, more);
  const events = await all(await create(input, { ...more, stream: true }));
  assert.deepEqual(events.map(({ sequence_number: number }) => number), [...events.keys()]);
  assert.equal(events[0].type, "response.created");
  assert.deepEqual(said(events.at(-1).response), said(plain));
  const deltas = events.filter(({ type }) => type === "response.output_text.delta");
  assert.equal(deltas.map(({ delta }) => delta).join(""), plain.output_text);
  if (plain.status === "completed") {
    const whole = await client.responses.stream(asked(input, more)).finalResponse();
    assert.deepEqual(said(whole), said(plain));
  }
  return plain;
}

const outputs = ({ output }) =>
  output
    .filter(({ type }) => type === "function_call")
    .map(({ call_id }) => ({ type: "function_call_output", call_id, output: "fine" }));

async function words() {
  assert.equal((await ask("say text")).output_text, 'Wörds, "quotes" and\nlines 🎭.');
  assert.equal((await ask("something else")).output_text, "ok");
  assert.equal((await ask("say refusal")).output[0].content[0].refusal, "I will not.");
  const cut = await ask("say length");
  assert.deepEqual([cut.status, cut.incomplete_details.reason], ["incomplete", "max_output_tokens"]);
  assert.equal((await ask("say filter")).incomplete_details.reason, "content_filter");
}

async function tools() {
  const [call] = (await ask("say call")).output;
  assert.deepEqual([call.name, call.arguments], ["write_file", '{"path": "a.txt", "content": "x\\n"}']);
  const both = await ask("say both");
  assert.deepEqual(both.output.map(({ type }) => type), ["reasoning", "message", "function_call", "function_call"]);
  assert.equal(both.output[0].summary[0].text, "Let me think about it.");
  assert.equal((await ask([user("say both"), ...both.output, ...outputs(both)])).output_text, "done");
  const [custom] = (await ask("say custom", { tools: CUSTOM })).output;
  assert.deepEqual([custom.type, custom.input], ["custom_tool_call", "*** Begin Patch\n"]);
  const answer = { type: "custom_tool_call_output", call_id: custom.call_id, output: "fine" };
  assert.equal((await ask([user("say custom"), custom, answer], { tools: CUSTOM })).output_text, "done");
}

async function kept() {
  const first = await ask("say both");
  assert.equal((await ask(outputs(first), { previous_response_id: first.id })).output_text, "done");
  const unknown = await refused(openai.BadRequestError, () => create("hi", { previous_response_id: "resp_0" }));
  assert.equal(unknown.code, "previous_response_not_found");
  assert.deepEqual(said(await client.responses.retrieve(first.id)), said(first));
  const rest = await all(await client.responses.retrieve(first.id, { stream: true, starting_after: 3 }));
  assert.deepEqual([rest[0].sequence_number, rest.at(-1).type], [4, "response.completed"]);
  assert.equal((await client.responses.inputItems.list(first.id)).data[0].content[0].text, "say both");
  await client.responses.delete(first.id);
  await refused(openai.NotFoundError, () => client.responses.retrieve(first.id));
  const states = [await create("say text", { background: true })];
  while (["queued", "in_progress"].includes(states.at(-1).status)) {
    states.push(await client.responses.retrieve(states[0].id));
  }
  assert.deepEqual(states.map(({ status }) => status), ["queued", "in_progress", "completed"]);
  const running = await create("say call", { background: true });
  assert.equal((await client.responses.cancel(running.id)).status, "cancelled");
}

const errors = () => fails(openai, (prompt, stream) => create(prompt, { stream }));

run(words, tools, kept, errors);
