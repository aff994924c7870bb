"""Talks with a provider through the official library, plain and streamed, and prints all that it got, one line a call."""
import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="sk-test-0123456789abcdefghij", max_retries=0)
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}}]


def say(name, value):
    print(json.dumps([name, value], sort_keys=True, ensure_ascii=False))


def plain(name, messages, **more):
    answer = client.chat.completions.create(model="gpt-4o-mini", messages=messages, **more)
    say(name, answer.model_dump())
    return answer.choices[0].message


def streamed(name, messages, **more):
    chunks = [chunk.model_dump() for chunk in client.chat.completions.create(model="gpt-4o-mini", messages=messages, stream=True, **more)]
    say(name, chunks)
    return chunks


hello = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Say hello. żółć"}]
plain("plain", hello)
streamed("streamed", hello)
# The same again: a recording is played as often as it was recorded.
plain("again", hello)

for kind in ("plain", "streamed"):
    asked = [{"role": "user", "content": f"What is the {kind} weather?"}]
    if kind == "plain":
        message = plain("call", asked, tools=TOOLS)
        calls = [call.model_dump() for call in message.tool_calls]
    else:
        deltas = [chunk["choices"][0]["delta"].get("tool_calls") or [] for chunk in streamed("call, streamed", asked, tools=TOOLS)]
        parts = [part for delta in deltas for part in delta]
        call = {"id": parts[0]["id"], "type": "function", "function": {"name": parts[0]["function"]["name"], "arguments": "".join(part["function"].get("arguments") or "" for part in parts)}}
        calls = [call]
    assert json.loads(calls[0]["function"]["arguments"]) == {"city": "Zürich", "days": 2}, calls
    asked += [{"role": "assistant", "content": None, "tool_calls": calls}, {"role": "tool", "tool_call_id": calls[0]["id"], "content": "sunny"}]
    (plain if kind == "plain" else streamed)(f"result, {kind}", asked, tools=TOOLS)

try:
    plain("busy", [{"role": "user", "content": "This is too much."}])
except openai.RateLimitError as error:
    say("busy", [error.status_code, error.body])
try:
    say("models", client.models.list().model_dump())
except openai.NotFoundError as error:
    say("models", [error.status_code, error.body])
