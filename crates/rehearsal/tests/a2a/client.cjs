// A session with the daemon by the official library of A2A for Node.js, over each binding. Prints the name of each part that went well.
const assert = require("node:assert");
const { randomUUID } = require("node:crypto");
const { SendMessageRequest, TaskState, taskStateToJSON } = require("@a2a-js/sdk");
const { ClientFactory, ClientFactoryOptions } = require("@a2a-js/sdk/client");
const errors = require("@a2a-js/sdk/errors");

const [base, token] = process.argv.slice(2);
const options = { serviceParameters: { Authorization: `Bearer ${token}` } };

function asking(text, { task, ...configuration } = {}, metadata) {
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }] };
  if (task) Object.assign(message, { taskId: task.id, contextId: task.contextId });
  return SendMessageRequest.fromJSON({ message, configuration, metadata });
}

const state = (task) => taskStateToJSON(task.status.state).replace("TASK_STATE_", "");
const send = async (client, ...what) => client.sendMessage(asking(...what), options);

async function events(stream) {
  const seen = [];
  for await (const event of stream) {
    const { $case: kind, value } = event.payload;
    seen.push(kind === "artifactUpdate" ? value.artifact.name : state(value));
  }
  return seen;
}

async function fails(name, wait) {
  await assert.rejects(wait, (error) => {
    assert.ok(error instanceof errors[name], `${name} wanted, got ${error}`);
    return true;
  });
}

const parts = {
  async send(client) {
    const task = await send(client, "work");
    assert.equal(state(task), "COMPLETED");
    assert.equal(task.artifacts[0].parts[0].content.value, `FAKE_RUN_RESULT ${task.id}: assignment complete.`);
  },
  async stream(client) {
    const seen = await events(client.sendMessageStream(asking("[FAKE:MUTATE] work"), options));
    assert.deepEqual(seen, ["SUBMITTED", "WORKING", "delegated_new.txt", "tracked.txt", "output/final.md", "COMPLETED"]);
  },
  async question(client) {
    const asked = await send(client, "[FAKE:ASK] work");
    assert.equal(state(asked), "INPUT_REQUIRED");
    const done = await send(client, "8080", { task: asked });
    assert.equal(state(done), "COMPLETED");
    await fails("UnsupportedOperationError", send(client, "more", { task: asked }));
  },
  async poll(client) {
    let task = await send(client, "work", { returnImmediately: true });
    const seen = [state(task)];
    for (let at = 0; at < 2; at++) {
      task = await client.getTask({ id: task.id, tenant: "" }, options);
      seen.push(state(task));
    }
    assert.deepEqual(seen, ["SUBMITTED", "WORKING", "COMPLETED"]);
    await fails("TaskNotFoundError", client.getTask({ id: "none", tenant: "" }, options));
  },
  async cancel(client) {
    const task = await send(client, "[FAKE:HANG] work", { returnImmediately: true });
    const seen = events(client.resubscribeTask({ id: task.id, tenant: "" }, options));
    const ended = seen.then((all) => all.at(-1), (error) => error);
    const wanted = { id: task.id, tenant: "", metadata: undefined };
    assert.equal(state(await client.cancelTask(wanted, options)), "CANCELED");
    // The subscription may have come before the cancel or after it.
    const last = await ended;
    assert.ok(last === "CANCELED" || last instanceof errors.UnsupportedOperationError, `${last}`);
    await fails("TaskNotCancelableError", client.cancelTask(wanted, options));
  },
  async unwilling(client) {
    assert.equal(state(await send(client, "[FAKE:REFUSE] work")), "REJECTED");
    const task = await send(client, "work", {}, { credentialProfileId: "ghost-profile" });
    assert.equal(state(task), "AUTH_REQUIRED");
  },
  async listing(client) {
    const status = TaskState.TASK_STATE_REJECTED;
    const page = await client.listTasks({ tenant: "", contextId: "", status, pageSize: 1, pageToken: "" }, options);
    assert.equal(page.tasks.length, 1);
    assert.ok(page.totalSize >= 1);
  },
};

(async () => {
  for (const binding of ["JSONRPC", "HTTP+JSON"]) {
    const chosen = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports: [binding] });
    const client = await new ClientFactory(chosen).createFromUrl(base);
    assert.equal(client.transport.protocolName, binding);
    for (const [name, part] of Object.entries(parts)) {
      await part(client);
      console.log(binding, name);
    }
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
