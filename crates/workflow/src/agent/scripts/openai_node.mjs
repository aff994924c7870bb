// A small agent on the openai package for Node.js: chat completions, streamed, one tool.
import { DESCRIPTION, NAME, PARAMETERS, load, runCommand } from "./shell_tool.mjs";

const { default: OpenAI } = await load("openai");
const client = new (OpenAI.default ?? OpenAI)();
const tools = [{ type: "function", function: { name: NAME, description: DESCRIPTION, parameters: PARAMETERS } }];
const messages = [{ role: "user", content: process.env.REHEARSAL_PROMPT }];

function answer({ name, arguments: text }) {
  if (name !== NAME) return `error: there is no tool ${name}`;
  try {
    return runCommand(JSON.parse(text) ?? {});
  } catch (error) {
    return `error: the arguments are not JSON: ${error.message}`;
  }
}

for (;;) {
  const stream = client.chat.completions.stream({ model: process.env.REHEARSAL_MODEL, messages, tools });
  const { message } = (await stream.finalChatCompletion()).choices[0];
  if (!message.tool_calls?.length) {
    console.log(message.content);
    break;
  }
  const calls = message.tool_calls.map(({ id, function: { name, arguments: text } }) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  }));
  messages.push({ role: "assistant", content: message.content, tool_calls: calls });
  for (const call of calls) {
    messages.push({ role: "tool", tool_call_id: call.id, content: answer(call.function) });
  }
}
