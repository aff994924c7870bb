"""Reads what is served on the paths of Azure with the official library's client for it. Any warning is a failure."""

import sys

import openai

VERSION = "2025-03-01-preview"
client = openai.AzureOpenAI(azure_endpoint=sys.argv[1], api_key="test", api_version=VERSION, max_retries=0)
newer = openai.OpenAI(base_url=sys.argv[1] + "/openai/v1/", api_key="test", max_retries=0)
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "d", "parameters": {"type": "object", "properties": {}}}}
    for name in ("one", "two")
]


def whole(model):
    """The library takes anything; its own models, asked to check, do not."""
    type(model).model_validate(model.to_dict(mode="json"))
    return model


def chat():
    for each in (client, newer):
        messages = [{"role": "user", "content": "say both"}]
        first = whole(each.chat.completions.create(model="my-deployment", messages=messages, tools=TOOLS))
        assert first.model == "my-deployment", first
        calls = first.choices[0].message.tool_calls
        assert [call.function.name for call in calls] == ["one", "two"]
        messages.append(first.choices[0].message.to_dict())
        messages += [{"role": "tool", "tool_call_id": call.id, "content": "fine"} for call in calls]
        stream = each.chat.completions.create(model="my-deployment", messages=messages, tools=TOOLS, stream=True)
        assert "".join(whole(chunk).choices[0].delta.content or "" for chunk in stream) == "done"
    print("chat")


def responses():
    for each in (client, newer):
        first = whole(each.responses.create(model="my-deployment", input="say text"))
        assert first.output_text == 'Wörds, "quotes" and\nlines 🎭.'
        assert whole(each.responses.retrieve(first.id)).id == first.id
    print("responses")


def errors():
    try:
        client.chat.completions.create(model="d", messages=[{"role": "user", "content": "fail 429"}])
        raise AssertionError("nothing was raised")
    except openai.RateLimitError as error:
        assert error.code == "rate_limit_exceeded", error
    bare = openai.OpenAI(base_url=sys.argv[1] + "/openai/deployments/d", api_key="test", max_retries=0)
    try:
        bare.chat.completions.create(model="d", messages=[{"role": "user", "content": "say text"}])
        raise AssertionError("nothing was raised")
    except openai.NotFoundError as error:
        assert (error.code, error.body["message"]) == ("404", "Resource not found"), error
    print("errors")


chat()
responses()
errors()
