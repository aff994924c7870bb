"""Reads every answer of suite.yaml with the official library, plain and streamed. Any warning and any difference is a failure."""

import sys

import openai
from pydantic import BaseModel

client = openai.OpenAI(base_url=sys.argv[1], api_key="test", max_retries=0)
MODEL = "gpt-5"
TOOLS = [
    {"type": "function", "name": name, "parameters": {"type": "object", "properties": {}}, "strict": False}
    for name in ("write_file", "one", "two")
]
CUSTOM = [{"type": "custom", "name": "apply_patch", "description": "Changes files."}]
THINKS = {"reasoning": {"summary": "auto"}, "include": ["reasoning.encrypted_content"]}


def whole(model):
    """The library takes anything; its own models, asked to check, do not."""
    type(model).model_validate(model.to_dict(mode="json"))
    return model


def said(response):
    assert response.error is None
    return [item.to_dict() for item in response.output], response.status, response.incomplete_details, response.usage


def create(prompt, **more):
    more = {"model": MODEL, "input": prompt, "tools": TOOLS, **THINKS, **more}
    return whole(client.responses.create(**more))


def ask(prompt, **more):
    """The answer, which must be the same plain and streamed."""
    plain = create(prompt, **more)
    more = {"model": MODEL, "input": prompt, "tools": TOOLS, **THINKS, **more}
    events = list(client.responses.create(stream=True, **more))
    assert [whole(event).sequence_number for event in events] == list(range(len(events)))
    assert type(events[0]).__name__ == "ResponseCreatedEvent", events[0]
    streamed = events[-1].response
    assert said(streamed) == said(plain), (streamed, plain)
    words = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert words == plain.output_text, (words, plain)
    if plain.status == "completed":
        with client.responses.stream(**more) as stream:
            assert said(stream.get_final_response())[1:] == said(plain)[1:]
    return plain


def outputs(response):
    calls = [item for item in response.output if item.type == "function_call"]
    return [{"type": "function_call_output", "call_id": call.call_id, "output": "fine"} for call in calls]


def refused(kind, ask):
    try:
        ask()
    except kind as error:
        assert error.request_id.startswith("req_"), error
        return error
    raise AssertionError(f"{kind} was not raised")


def words():
    assert ask("say text").output_text == 'Wörds, "quotes" and\nlines 🎭.'
    assert ask("something else").output_text == "ok"
    refusal = ask("say refusal").output[0].content[0]
    assert (refusal.type, refusal.refusal) == ("refusal", "I will not.")
    cut = ask("say length")
    assert (cut.status, cut.incomplete_details.reason, cut.usage.output_tokens) == ("incomplete", "max_output_tokens", 34)
    assert ask("say filter").incomplete_details.reason == "content_filter"

    class Person(BaseModel):
        name: str
        age: int

    parsed = client.responses.parse(model=MODEL, input="say json", text_format=Person).output_parsed
    assert parsed == Person(name="Ann", age=7)
    print("words")


def tools():
    call = ask("say call").output[0]
    assert (call.name, call.arguments) == ("write_file", '{"path": "a.txt", "content": "x\\n"}')
    both = ask("say both")
    assert [item.type for item in both.output] == ["reasoning", "message", "function_call", "function_call"]
    assert both.output[0].summary[0].text == "Let me think about it."
    history = [{"role": "user", "content": "say both"}] + [item.to_dict() for item in both.output] + outputs(both)
    assert ask(history).output_text == "done"
    custom = ask("say custom", tools=CUSTOM).output[0]
    assert (custom.type, custom.input) == ("custom_tool_call", "*** Begin Patch\n")
    answer = {"type": "custom_tool_call_output", "call_id": custom.call_id, "output": "fine"}
    assert ask([{"role": "user", "content": "say custom"}, custom.to_dict(), answer], tools=CUSTOM).output_text == "done"
    print("tools")


def kept():
    first = ask("say both")
    history = [{"role": "user", "content": "say both"}] + [item.to_dict() for item in first.output] + outputs(first)
    compacted = client.responses.compact(model=MODEL, input=history)
    assert [item.type for item in compacted.output] == ["message", "compaction"], compacted
    # The library's models of an output have no words of a user, which this one has by its documentation.
    assert ask([item.to_dict(warnings=False) for item in compacted.output]).output_text == "done"
    assert ask(outputs(first), previous_response_id=first.id).output_text == "done"
    unknown = refused(openai.BadRequestError, lambda: create("hi", previous_response_id="resp_0"))
    assert unknown.code == "previous_response_not_found", unknown
    assert said(whole(client.responses.retrieve(first.id))) == said(first)
    rest = list(client.responses.retrieve(first.id, stream=True, starting_after=3))
    assert [event.sequence_number for event in rest][0] == 4 and rest[-1].type == "response.completed"
    assert client.responses.input_items.list(first.id).data[0].content[0].text == "say both"
    client.responses.delete(first.id)
    refused(openai.NotFoundError, lambda: client.responses.retrieve(first.id))
    states = [create("say text", background=True)]
    while states[-1].status in ("queued", "in_progress"):
        states.append(whole(client.responses.retrieve(states[0].id)))
    assert [state.status for state in states] == ["queued", "in_progress", "completed"]
    assert client.responses.cancel(create("say call", background=True).id).status == "cancelled"
    print("kept")


def errors():
    for status, kind in [
        (400, openai.BadRequestError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (529, openai.InternalServerError),
    ]:
        for stream in (False, True):
            error = refused(kind, lambda: client.responses.create(model=MODEL, input=f"fail {status}", stream=stream))
            assert (error.status_code, error.body["message"] in ("bad", "slow", "oh", "much")) == (status, True), error
    error = refused(openai.BadRequestError, lambda: create("hi", temperature=5))
    assert (error.param, error.code, error.type) == ("temperature", "decimal_above_max_value", "invalid_request_error")
    print("errors")


words()
tools()
kept()
errors()
