// Asks for one answer a line with the official library for OpenAI's APIs, in one of its forms.
const { OpenAI, OpenAIError } = require("openai");
const { OPTIONS, SCHEMA, call, serve } = require("./jobs.cjs");

const client = new OpenAI(OPTIONS);
const tools = [{ type: "function", function: { name: "write_file", parameters: SCHEMA } }];
const asked = (content) => ({ model: "gpt-4o-mini", messages: [{ role: "user", content }], tools });

function said({ choices: [{ message, finish_reason }] }) {
  const calls = (message.tool_calls ?? []).map((one) => call(one.id, one.function.name, one.function.arguments));
  return [message.content, calls, finish_reason, message.refusal];
}

const plain = async (prompt) => said(await client.chat.completions.create(asked(prompt)));

// Pieces of calls are put together by their index, as the library's own examples do.
async function iterator(prompt) {
  let [text, refusal, reason] = ["", "", null];
  const calls = new Map();
  for await (const chunk of await client.chat.completions.create({ ...asked(prompt), stream: true })) {
    for (const { delta, finish_reason } of chunk.choices) {
      reason = finish_reason || reason;
      text += delta.content ?? "";
      refusal += delta.refusal ?? "";
      for (const piece of delta.tool_calls ?? []) {
        if (!calls.has(piece.index)) calls.set(piece.index, call(null, null, ""));
        const one = calls.get(piece.index);
        one.id ||= piece.id;
        one.name ||= piece.function.name;
        one.arguments += piece.function.arguments ?? "";
      }
    }
  }
  return [text, [...calls.values()], reason, refusal || null];
}

const helper = async (prompt) => said(await client.chat.completions.stream(asked(prompt)).finalChatCompletion());

serve("openai", OpenAIError, { plain, iterator, helper });
