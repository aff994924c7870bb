"""Reads every answer of suite.yaml with the official library, plain and streamed. Any warning and any difference is a failure."""

import sys

import openai
from pydantic import BaseModel

client = openai.OpenAI(base_url=sys.argv[1], api_key="test", max_retries=0)
MODEL = "gpt-4o-mini"
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
    for name in ("write_file", "one", "two")
]


def whole(model):
    """The library takes anything; its own models, asked to check, do not."""
    type(model).model_validate(model.to_dict(mode="json"))
    return model


def user(text):
    return [{"role": "user", "content": text}]


def said(completion):
    (choice,) = completion.choices
    calls = [(call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls or []]
    return choice.message.content, choice.message.refusal, calls, choice.finish_reason, completion.usage


def joined(chunks):
    """What the pieces of a stream say when they are put together by hand."""
    texts = {"content": [], "refusal": []}
    calls, reason, usage = [], None, None
    for chunk in chunks:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            reason = choice.finish_reason or reason
            for name, pieces in texts.items():
                pieces += [piece for piece in [getattr(choice.delta, name)] if piece is not None]
            for call in choice.delta.tool_calls or []:
                if call.id:
                    assert call.index == len(calls) and call.type == "function", call
                    calls.append((call.id, call.function.name, ""))
                id, name, arguments = calls[call.index]
                calls[call.index] = (id, name, arguments + (call.function.arguments or ""))
    text, refusal = ("".join(pieces) if pieces else None for pieces in texts.values())
    return text, refusal, calls, reason, usage


def ask(messages, **more):
    """The answer, which must be the same plain and streamed."""
    more = {"model": MODEL, "messages": messages, "tools": TOOLS, **more}
    plain = whole(client.chat.completions.create(**more))
    chunks = client.chat.completions.create(stream=True, stream_options={"include_usage": True}, **more)
    streamed = joined([whole(chunk) for chunk in chunks])
    assert streamed == said(plain), (streamed, plain)
    assert joined(client.chat.completions.create(stream=True, **more))[-1] is None, "nobody asked for the usage"
    return plain


def words():
    assert ask(user("say text")).choices[0].message.content == 'Wörds, "quotes" and\nlines 🎭.'
    assert ask(user("something else")).choices[0].message.content == "ok"
    assert ask(user("say refusal")).choices[0].message.refusal == "I will not."
    cut = ask(user("say length"))
    assert (cut.choices[0].finish_reason, cut.usage.completion_tokens) == ("length", 34)
    assert ask(user("say filter")).choices[0].finish_reason == "content_filter"

    class Person(BaseModel):
        name: str
        age: int

    asked = {"model": MODEL, "messages": user("say json"), "response_format": Person}
    assert client.chat.completions.parse(**asked).choices[0].message.parsed == Person(name="Ann", age=7)
    with client.chat.completions.stream(**asked) as stream:
        assert stream.get_final_completion().choices[0].message.parsed == Person(name="Ann", age=7)


def tools():
    (call,) = ask(user("say call")).choices[0].message.tool_calls
    assert (call.function.name, call.function.arguments) == ("write_file", '{"path": "a.txt", "content": "x\\n"}')
    both = ask(user("say both")).choices[0]
    assert (both.message.content, both.finish_reason) == ("Both at once.", "tool_calls")
    results = [{"role": "tool", "tool_call_id": call.id, "content": "fine"} for call in both.message.tool_calls]
    assert len(results) == 2
    history = user("say both") + [both.message.to_dict()] + results
    assert ask(history).choices[0].message.content == "done"


def errors():
    for status, kind, word in [
        (400, openai.BadRequestError, "bad"),
        (429, openai.RateLimitError, "slow"),
        (500, openai.InternalServerError, "oh"),
        (529, openai.InternalServerError, "much"),
    ]:
        for stream in (False, True):
            try:
                client.chat.completions.create(model=MODEL, messages=user(f"fail {status}"), stream=stream)
            except kind as error:
                assert (error.status_code, error.body["message"]) == (status, word), error
                assert error.request_id.startswith("req_"), error
            else:
                raise AssertionError(f"{status} is an error")


for part in (words, tools, errors):
    part()
    print(part.__name__)
