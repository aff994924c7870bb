"""A session with the daemon by the official library of A2A, over each binding. Prints the name of each part that went well."""

import asyncio
import sys
import uuid

import httpx

from a2a.client import ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.client.client import ClientCallContext
from a2a.helpers.proto_helpers import get_message_text
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import (
    ContentTypeNotSupportedError,
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
    VersionNotSupportedError,
)


class Token(CredentialService):
    def __init__(self, token):
        self.token = token

    async def get_credentials(self, security_scheme_name, context):
        assert security_scheme_name == "daemonToken", security_scheme_name
        return self.token


def message(text, task=None, **more):
    return Message(
        message_id=str(uuid.uuid4()),
        role=Role.ROLE_USER,
        parts=[Part(text=text)],
        task_id=task.id if task else None,
        **more,
    )


def asking(said, at_once=False, history=None, profile=None):
    options = SendMessageConfiguration(return_immediately=at_once, history_length=history)
    request = SendMessageRequest(message=said, configuration=options)
    if profile:
        request.metadata.update({"credentialProfileId": profile})
    return request


def state(task):
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_")


async def sent(client, said, **how):
    """The task that a plain answer holds."""
    answers = [answer async for answer in client.send_message(asking(said, **how))]
    assert len(answers) == 1, answers
    return answers[0].task


async def fails(kind, wait):
    try:
        await wait
    except kind as error:
        assert type(error) is kind, repr(error)
        return error
    raise AssertionError(f"no {kind.__name__}")


def told(events):
    """A stream in short."""
    out = []
    for event in events:
        if event.HasField("task"):
            out.append("task " + state(event.task))
        elif event.HasField("status_update"):
            update = event.status_update
            out.append(state(update) + (": " + get_message_text(update.status.message) if update.status.HasField("message") else ""))
        else:
            update = event.artifact_update
            out.append("artifact " + update.artifact.name + (" more" if update.append else "") + (" end" if update.last_chunk else ""))
    return out


async def card(plain, _streaming, binding):
    agent = plain._card
    assert agent.capabilities.streaming and not agent.capabilities.push_notifications
    assert [one.protocol_binding for one in agent.supported_interfaces] == ["JSONRPC", "HTTP+JSON"]
    assert {one.protocol_version for one in agent.supported_interfaces} == {"1.0"}
    assert agent.security_schemes["daemonToken"].http_auth_security_scheme.scheme == "Bearer"
    assert agent.skills and agent.default_input_modes and agent.name == "fake-harness"
    # Nothing extended is declared, so the library does not even ask.
    assert await plain.get_extended_agent_card(GetExtendedAgentCardRequest()) == agent


async def send(plain, _streaming, binding):
    task = await sent(plain, message("work"))
    assert state(task) == "COMPLETED" and len(task.history) == 1, task
    assert task.artifacts[0].parts[0].text == f"FAKE_RUN_RESULT {task.id}: assignment complete."
    # The context goes on in another task.
    other = await sent(plain, message("work", context_id=task.context_id))
    assert other.context_id == task.context_id and other.id != task.id
    # The same message again is the same task.
    said = message("work")
    assert (await sent(plain, said)).id == (await sent(plain, said)).id
    changed = Message()
    changed.CopyFrom(said)
    changed.parts[0].text = "something else"
    error = await fails(InvalidParamsError, sent(plain, changed))
    assert error.data["code"] == "idempotency_conflict", error.data


async def poll(plain, _streaming, binding):
    task = await sent(plain, message("work"), at_once=True)
    seen = [state(task)]
    for _ in range(2):
        task = await plain.get_task(GetTaskRequest(id=task.id))
        seen.append(state(task))
    assert seen == ["SUBMITTED", "WORKING", "COMPLETED"], seen
    assert not (await plain.get_task(GetTaskRequest(id=task.id, history_length=0))).history
    await fails(TaskNotFoundError, plain.get_task(GetTaskRequest(id="0123456789abcdef")))


async def stream(_plain, streaming, binding):
    events = [event async for event in streaming.send_message(asking(message("make some noise")))]
    assert told(events) == ["task SUBMITTED", "WORKING", "WORKING: looking around", "INPUT_REQUIRED: Go on?"], told(events)
    task = events[0].task
    events = [event async for event in streaming.send_message(asking(message("yes", task)))]
    assert told(events) == [
        "task WORKING",
        "WORKING: still at it",
        "artifact out/report.md end",
        "artifact output/final.md",
        "artifact output/final.md more",
        "artifact output/final.md more end",
        "COMPLETED",
    ], told(events)
    whole = "".join(event.artifact_update.artifact.parts[0].text for event in events[3:6])
    task = await streaming.get_task(GetTaskRequest(id=task.id))
    assert [one.name for one in task.artifacts] == ["out/report.md", "output/final.md"]
    assert task.artifacts[0].parts[0].text == "# Report\n"
    assert task.artifacts[1].parts[0].text == whole and len(whole) == 150_000
    said = [get_message_text(one) for one in task.history]
    assert said == ["make some noise", "looking around", "Go on?", "yes", "still at it"], said


async def question(plain, _streaming, binding):
    task = await sent(plain, message("[FAKE:TURN] talk with me"))
    answers = ["first", "second"]
    for answer in answers:
        assert state(task) == "INPUT_REQUIRED", task
        asked = task.status.message
        assert asked.role == Role.ROLE_AGENT and get_message_text(asked).startswith("INTERIM"), asked
        task = await sent(plain, message(answer, task))
    assert state(task) == "COMPLETED", task
    text = task.artifacts[0].parts[0].text
    assert all(f"\n{answer}\n" in text for answer in answers), text
    await fails(UnsupportedOperationError, sent(plain, message("more", task)))
    wrong = message("x", await sent(plain, message("[FAKE:ASK] again")), context_id="another")
    error = await fails(InvalidParamsError, sent(plain, wrong))
    assert error.data["pointer"].endswith("/message/contextId"), error.data


async def steer(plain, streaming, binding):
    task = await sent(plain, message("wait to be steered"), at_once=True)
    heard = []

    async def listen():
        async for event in streaming.subscribe(SubscribeToTaskRequest(id=task.id)):
            heard.append(event)
            if len(heard) == 1:
                begun.set()

    begun = asyncio.Event()
    listener = asyncio.create_task(listen())
    await begun.wait()
    done = await sent(plain, message("to the left", task))
    assert state(done) == "COMPLETED" and done.artifacts[0].parts[0].text == "Steered.", done
    await listener
    assert told(heard) == ["task WORKING", "WORKING: heard it", "artifact output/final.md end", "COMPLETED"], told(heard)
    await fails(UnsupportedOperationError, listened(streaming, task))


async def listened(client, task):
    return [event async for event in client.subscribe(SubscribeToTaskRequest(id=task.id))]


async def cancel(plain, streaming, binding):
    events = streaming.send_message(asking(message("[FAKE:HANG] for ever")))
    task = (await anext(events)).task
    rest = asyncio.create_task(anything(events))
    canceled = await plain.cancel_task(CancelTaskRequest(id=task.id))
    assert state(canceled) == "CANCELED", canceled
    assert told(await rest) == ["WORKING", "CANCELED"]
    error = await fails(TaskNotCancelableError, plain.cancel_task(CancelTaskRequest(id=task.id)))
    assert error.data["taskId"] == task.id, error.data
    await fails(TaskNotFoundError, plain.cancel_task(CancelTaskRequest(id="0123456789abcdef")))
    # One that waits for its user can be canceled, too.
    asked = await sent(plain, message("[FAKE:ASK] then leave"))
    assert state(await plain.cancel_task(CancelTaskRequest(id=asked.id))) == "CANCELED"


async def anything(events):
    return [event async for event in events]


async def unwilling(plain, _streaming, binding):
    rejected = await sent(plain, message("[FAKE:REFUSE] no"))
    assert state(rejected) == "REJECTED" and get_message_text(rejected.status.message), rejected
    failed = await sent(plain, message("run into the limit"))
    facts = failed.status.message.parts[1].data.struct_value
    assert state(failed) == "FAILED" and facts["code"] == "subscription_window_exhausted", failed
    needing = await sent(plain, message("[FAKE:INPUT_REQUIRED] work"))
    assert state(needing) == "FAILED" and "INTERIM" in get_message_text(needing.status.message), needing


async def credentials(plain, _streaming, binding):
    task = await sent(plain, message("work"), profile="ghost-profile")
    assert state(task) == "AUTH_REQUIRED", task
    still = await sent(plain, message("here I am", task))
    assert state(still) == "AUTH_REQUIRED", still
    done = await sent(plain, message("take this one", task), profile="another-profile")
    assert state(done) == "COMPLETED" and len(done.history) == 3, done


async def listing(plain, _streaming, binding):
    context = f"many-{binding}"
    made = [(await sent(plain, message("[FAKE:ASK] one", context_id=context))).id for _ in range(5)]
    seen, token = [], ""
    while True:
        page = await plain.list_tasks(ListTasksRequest(context_id=context, page_size=2, page_token=token))
        assert page.total_size == 5 and page.page_size == 2, page
        assert not any(task.artifacts for task in page.tasks)
        seen += [task.id for task in page.tasks]
        token = page.next_page_token
        if not token:
            break
    assert seen == made[::-1], (seen, made)
    asked = await plain.list_tasks(ListTasksRequest(context_id=context, status=TaskState.TASK_STATE_COMPLETED))
    assert asked.total_size == 0 and not asked.tasks
    error = await fails(InvalidParamsError, plain.list_tasks(ListTasksRequest(page_size=1000)))
    assert error.data["pointer"].endswith("/pageSize"), error.data


async def refusals(plain, _streaming, binding):
    picture = message("look")
    picture.parts.append(Part(raw=b"x", media_type="image/png"))
    await fails(ContentTypeNotSupportedError, sent(plain, picture))
    hook = TaskPushNotificationConfig(task_id="x", url="http://127.0.0.1:1/hook")
    await fails(PushNotificationNotSupportedError, plain.create_task_push_notification_config(hook))
    older = ClientCallContext(service_parameters={"A2A-Version": "0.3"})
    await fails(VersionNotSupportedError, plain.get_task(GetTaskRequest(id="x"), context=older))


PARTS = [card, send, poll, stream, question, steer, cancel, unwilling, credentials, listing, refusals]


async def main(base, token):
    for binding in ["JSONRPC", "HTTP+JSON"]:
        async with httpx.AsyncClient(timeout=60) as http:
            clients = []
            for streams in [False, True]:
                config = ClientConfig(streaming=streams, httpx_client=http, supported_protocol_bindings=[binding])
                factory = ClientFactory(config)
                clients.append(await factory.create_from_url(base, interceptors=[AuthInterceptor(Token(token))]))
            for part in PARTS:
                await part(*clients, binding)
                print(binding, part.__name__, flush=True)


asyncio.run(main(sys.argv[1], sys.argv[2]))
