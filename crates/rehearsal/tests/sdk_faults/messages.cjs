// Asks for one answer a line with the official library for the Messages API, in one of its forms.
const { Anthropic, AnthropicError } = require("@anthropic-ai/sdk");
const { OPTIONS, SCHEMA, call, serve } = require("./jobs.cjs");

const client = new Anthropic(OPTIONS);
const tools = [{ name: "write_file", input_schema: SCHEMA }];
const asked = (content) => ({ model: "claude-rehearsal", max_tokens: 1000, messages: [{ role: "user", content }], tools });

function said({ content, stop_reason }) {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const used = content.filter((block) => block.type === "tool_use");
  return [text, used.map(({ id, name, input }) => call(id, name, JSON.stringify(input))), stop_reason, null];
}

const plain = async (prompt) => said(await client.messages.create(asked(prompt)));

// Pieces of calls are put together by the index of their block.
async function iterator(prompt) {
  let [text, reason] = ["", null];
  const calls = new Map();
  for await (const event of await client.messages.create({ ...asked(prompt), stream: true })) {
    if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
      calls.set(event.index, call(event.content_block.id, event.content_block.name, ""));
    } else if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
      text += event.delta.text;
    } else if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") {
      calls.get(event.index).arguments += event.delta.partial_json;
    } else if (event.type === "message_delta") {
      reason = event.delta.stop_reason;
    }
  }
  return [text, [...calls.values()], reason, null];
}

const helper = async (prompt) => said(await client.messages.stream(asked(prompt)).finalMessage());

serve("@anthropic-ai/sdk", AnthropicError, { plain, iterator, helper });
