// A small agent on the AI SDK: its streamed tool loop, chat completions by the OpenAI-compatible provider, one tool.
import { DESCRIPTION, NAME, PARAMETERS, load, runCommand } from "./shell_tool.mjs";

const { jsonSchema, stepCountIs, streamText, tool } = await load("ai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const provider = createOpenAICompatible({
  name: "rehearsal",
  baseURL: process.env.OPENAI_BASE_URL,
  apiKey: process.env.OPENAI_API_KEY,
});

let failed;
const result = streamText({
  model: provider(process.env.REHEARSAL_MODEL),
  prompt: process.env.REHEARSAL_PROMPT,
  tools: { [NAME]: tool({ description: DESCRIPTION, inputSchema: jsonSchema(PARAMETERS), execute: runCommand }) },
  stopWhen: stepCountIs(50),
  onError: ({ error }) => {
    failed = error;
  },
});
for await (const text of result.textStream) process.stdout.write(text);
process.stdout.write("\n");
if (failed) {
  console.error(failed);
  process.exitCode = 1;
}
