"""One session with an agent through the official library: texts, a question, permissions, files, a cancel. Prints each part that went well."""
import asyncio
import sys

import acp
from acp.schema import AllowedOutcome, ClientCapabilities, FileSystemCapabilities, RequestPermissionResponse


class Client(acp.Client):
    def __init__(self):
        self.updates, self.asked, self.written = [], [], {}
        self.hold = None

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        self.asked.append([option.name for option in options])
        if self.hold is not None:
            self.hold.set()
            await asyncio.Event().wait()
        outcome = AllowedOutcome(outcome="selected", option_id=options[-1].option_id)
        return RequestPermissionResponse(outcome=outcome)

    async def session_update(self, session_id, update, **kwargs):
        self.updates.append(update)

    async def write_text_file(self, session_id, path, content, **kwargs):
        self.written[path] = content
        return acp.WriteTextFileResponse()

    async def read_text_file(self, session_id, path, line=None, limit=None, **kwargs):
        return acp.ReadTextFileResponse(content="read " + path)

    def kinds(self):
        return [update.session_update for update in self.updates]

    def words(self):
        said = [update for update in self.updates if update.session_update == "agent_message_chunk"]
        return "".join(update.content.text for update in said)


async def main(program, *arguments):
    client = Client()
    async with acp.spawn_agent_process(client, program, *arguments) as (agent, _process):
        can = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True))
        begun = await agent.initialize(protocol_version=acp.PROTOCOL_VERSION, client_capabilities=can)
        assert begun.protocol_version == 1 and begun.agent_capabilities.load_session
        session = (await agent.new_session(cwd="/work", mcp_servers=[])).session_id
        print("begin", flush=True)

        async def prompt(text):
            client.updates.clear()
            ended = await agent.prompt(session_id=session, prompt=[acp.text_block(text)])
            return ended.stop_reason

        assert await prompt("hello") == "end_turn" and "FAKE_RUN_RESULT" in client.words()
        assert await prompt("[FAKE:REFUSE]") == "refusal"
        print("texts", flush=True)

        assert await prompt("[FAKE:TURN]") == "end_turn"
        assert client.asked == [["Allow once", "Allow always", "Reject once", "Reject always"]] * 2
        assert "Reject always" in client.words()
        print("permission", flush=True)

        assert await prompt("[all]") == "end_turn" and client.asked[-1] == ["8080", "9090"]
        assert client.written == {"/work/b.txt": "b\n"}
        assert client.words() == "Let me see.\n\nAll done."
        wanted = ["agent_thought_chunk", "plan", "tool_call", "tool_call_update", "usage_update"]
        assert all(kind in client.kinds() for kind in wanted), client.kinds()
        print("question", flush=True)

        client.hold = asyncio.Event()
        running = asyncio.create_task(prompt("[FAKE:ASK]"))
        await client.hold.wait()
        await agent.cancel(session_id=session)
        assert await running == "cancelled"
        print("cancel", flush=True)

        client.updates.clear()
        await agent.load_session(cwd="/work", session_id=session, mcp_servers=[])
        assert client.updates[0].content.text == "hello"
        try:
            await agent.load_session(cwd="/work", session_id="none", mcp_servers=[])
        except acp.RequestError as error:
            assert error.code == -32002, error
        else:
            raise AssertionError("a session that is not there was loaded")
        print("load", flush=True)


asyncio.run(main(*sys.argv[1:]))
