// Reads every answer of suite.yaml with the official library for Node.js, plain and streamed. Any warning and any difference is a failure.
const { ApiError, FunctionCallingConfigMode, GoogleGenAI } = require("@google/genai");
const { all, assert, plainly, refused, run } = require("../parts.cjs");

// The library warns on the console.
console.warn = (...words) => assert.fail(words.join(" "));

const model = "gemini-3-pro-preview";
const client = new GoogleGenAI({ apiKey: "test", vertexai: false, httpOptions: { baseUrl: process.argv[2] } });
const WEATHER = {
  name: "get_weather",
  description: "Weather.",
  parametersJsonSchema: { type: "object", properties: { city: { type: "string" } } },
};
const tools_ = { tools: [{ functionDeclarations: [WEATHER] }] };
const thinks = { thinkingConfig: { includeThoughts: true } };
const WORDS = {
  400: "INVALID_ARGUMENT",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  529: "UNAVAILABLE",
};

const user = (text) => ({ role: "user", parts: [{ text }] });
const parts = (response) => plainly(response.candidates[0].content?.parts ?? []);

// Parts with the texts that follow each other as one.
function joined(parts) {
  const told = [];
  for (const part of parts) {
    const last = told.at(-1);
    if (last?.text !== undefined && part.text !== undefined && last.thought === part.thought) {
      told[told.length - 1] = { ...last, ...part, text: last.text + part.text };
    } else {
      told.push(part);
    }
  }
  return told;
}

// The answer, which must be the same plain and streamed.
async function ask(contents, config = {}) {
  const plain = await client.models.generateContent({ model, contents, config });
  const chunks = await all(await client.models.generateContentStream({ model, contents, config }));
  const last = chunks.at(-1);
  assert.deepEqual(joined(chunks.flatMap(parts)), joined(parts(plain)));
  assert.equal(last.candidates[0].finishReason, plain.candidates[0].finishReason);
  assert.deepEqual(plainly(last.usageMetadata), plainly(plain.usageMetadata));
  assert.deepEqual([plain.modelVersion, last.modelVersion], [model, model]);
  return plain;
}

function responses(answer) {
  const calls = parts(answer).flatMap(({ functionCall }) => functionCall ?? []);
  const answered = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { weather: "sunny" } } }));
  return { role: "user", parts: answered };
}

async function words() {
  const hello = await ask([user("Say hello to me please.")]);
  assert.deepEqual([hello.text, hello.candidates[0].finishReason], ['Hello. Grüße 😀 "q" \\ \n end', "STOP"]);
  assert.equal((await ask([user("Talk until you are cut off.")])).candidates[0].finishReason, "MAX_TOKENS");
  assert.equal((await ask([user("Do something bad now.")])).candidates[0].finishReason, "SAFETY");
}

async function tools() {
  const asked = [user("Weather in Paris, please?")];
  const answer = await ask(asked, { ...tools_, ...thinks });
  const [thought, text, call] = parts(answer);
  assert.deepEqual([thought.thought, thought.text, text.text], [true, "I will look it up. Ünïcode.", "Let me look."]);
  assert.equal(call.functionCall.args.city, 'Paris "x" \\ \n é 😀');
  // Numbers are doubles here, so that the large one cannot come back as it went out.
  call.functionCall.args.days = 1;
  const changed = [...asked, { role: "model", parts: [text, call] }, responses(answer)];
  const told = await refused(ApiError, () => ask(changed, tools_));
  assert(told.message.includes("gate_echo_mismatch"), told);
}

async function parallel() {
  const asked = [user("Weather in Rome and nowhere?")];
  const answer = await ask(asked, { ...tools_, toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } } });
  assert.deepEqual(answer.functionCalls.map(({ args }) => args), [{ city: "Rome" }, {}]);
  const { content } = answer.candidates[0];
  assert.equal((await ask([...asked, content, responses(answer)], tools_)).text, "Both are fine.");
  const unsigned = parts(answer).map(({ functionCall }) => ({ functionCall }));
  const told = await refused(ApiError, () => ask([...asked, { role: "model", parts: unsigned }, responses(answer)], tools_));
  assert(told.message.includes("missing a thought_signature"), told);
}

async function chats() {
  const chat = client.chats.create({ model, config: tools_ });
  const answer = await chat.sendMessage({ message: "Weather in Rome and nowhere?" });
  assert.equal((await chat.sendMessage({ message: responses(answer).parts })).text, "Both are fine.");
}

async function failures() {
  for (const [status, word] of Object.entries(WORDS)) {
    const asked = { model, contents: `Fail with the status ${status}.` };
    for (const ask of [() => client.models.generateContent(asked), () => client.models.generateContentStream(asked)]) {
      const told = await refused(ApiError, ask);
      assert.equal(told.status, Number(status));
      assert(told.message.includes(`"${word}"`) && told.message.includes("told"), told);
    }
  }
}

async function beside() {
  assert.equal((await client.models.countTokens({ model, contents: "hi there you" })).totalTokens, 3);
  const models = await all(await client.models.list());
  assert(models.length > 0 && models.every(({ name }) => name.startsWith("models/")), models);
  assert.equal((await client.models.get({ model: "gemini-x" })).name, "models/gemini-x");
}

run(words, tools, parallel, chats, failures, beside);
