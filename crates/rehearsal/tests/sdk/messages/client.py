"""Reads every answer of suite.yaml with the official library, plain and streamed. Any warning and any difference is a failure."""

import sys

import anthropic
from anthropic import beta_tool

MODEL = "claude-rehearsal"
WEATHER = {
    "name": "get_weather",
    "description": "Weather.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
}
THINKS = {"type": "enabled", "budget_tokens": 1024}
KINDS = {
    400: (anthropic.BadRequestError, "invalid_request_error"),
    401: (anthropic.AuthenticationError, "authentication_error"),
    403: (anthropic.PermissionDeniedError, "permission_error"),
    404: (anthropic.NotFoundError, "not_found_error"),
    413: (anthropic.ContentTooLargeError, "request_too_large"),
    429: (anthropic.RateLimitError, "rate_limit_error"),
    500: (anthropic.InternalServerError, "api_error"),
    529: (anthropic.OverloadedError, "overloaded_error"),
}

client = anthropic.Anthropic(base_url=sys.argv[1], api_key="test")


def user(text):
    return [{"role": "user", "content": text}]


def said(message):
    blocks = [block.model_dump(exclude_none=True) for block in message.content]
    return blocks, message.stop_reason, message.stop_details, message.usage.output_tokens


def ask(messages, **more):
    """The answer, which must be the same plain and streamed."""
    more = {"model": MODEL, "max_tokens": 2000, "messages": messages, **more}
    plain = client.messages.create(**more)
    with client.messages.stream(**more) as stream:
        streamed = stream.get_final_message()
    assert said(plain) == said(streamed), (plain, streamed)
    return plain


def results(message):
    calls = [block for block in message.content if block.type == "tool_use"]
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"} for call in calls],
    }


def words():
    answer = ask(user("Say hello to me please."))
    assert answer.content[0].text == 'Hello. Grüße 😀 "q" \\ \n end' and answer.stop_reason == "end_turn"
    assert ask(user("Talk until you are cut off.")).stop_reason == "max_tokens"
    assert ask(user("Answer me at the second attempt.")).content[0].text == "Now."
    refused = ask(user("Do something bad now."))
    assert refused.stop_reason == "refusal" and refused.stop_details.explanation == "I will not do that."


def tools():
    asked = user("Weather in Paris, please?")
    answer = ask(asked, tools=[WEATHER], thinking=THINKS)
    thought, text, call = answer.content
    assert thought.thinking == "I will look it up. Ünïcode." and text.text == "Let me look."
    assert call.input == {"city": 'Paris "x" \\ \n é 😀', "days": 9007199254740993, "share": 0.5}
    assert answer.stop_reason == "tool_use"
    asked += [{"role": "assistant", "content": answer.content}, results(answer)]
    assert ask(asked, tools=[WEATHER], thinking=THINKS).content[0].text == "It is sunny."
    for broken in ([text, call], [{**thought.model_dump(), "thinking": "Other."}, text, call]):
        asked[1]["content"] = broken
        try:
            ask(asked, tools=[WEATHER], thinking=THINKS)
        except anthropic.BadRequestError as error:
            assert "messages.1.content.0" in error.message, error.message
        else:
            raise AssertionError("a thought that is changed or missing is refused")


@beta_tool
def get_weather(city: str = "", days: int = 0, share: float = 0) -> str:
    """Weather.

    Args:
        city: Where.
        days: For how long.
        share: Of what.
    """
    return "sunny"


def threads():
    for prompt in ("Weather in Paris, please?", "Weather in Rome and nowhere?"):
        for stream in (False, True):
            runner = client.beta.messages.tool_runner(
                model=MODEL, max_tokens=2000, messages=user(prompt), tools=[get_weather], stream=stream
            )
            turns = [turn.get_final_message() if stream else turn for turn in runner]
            assert [turn.stop_reason for turn in turns] == ["tool_use", "end_turn"], turns


def errors():
    once = client.with_options(max_retries=0)
    for status, (kind, word) in KINDS.items():
        for stream in (False, True):
            asked = user(f"Fail with the status {status}.")
            try:
                once.messages.create(model=MODEL, max_tokens=2000, messages=asked, stream=stream)
            except kind as error:
                told = (error.status_code, error.type, error.api_message)
                assert told == (status, word, "told"), told
                assert error.request_id and error.request_id == error.body["request_id"]
            else:
                raise AssertionError(f"{status} is an error")


def beside():
    assert client.messages.count_tokens(model=MODEL, messages=user("hi there you")).input_tokens == 3
    models = list(client.models.list())
    assert models and all(model.created_at.year == 2026 for model in models)
    assert client.models.retrieve("claude-x").id == "claude-x"
    ask = lambda name, prompt: {"custom_id": name, "params": {"model": MODEL, "max_tokens": 90, "messages": user(prompt)}}
    batch = client.messages.batches.create(requests=[ask("a", "hi there you"), ask("b", "Fail with the status 400.")])
    seen = [batch.processing_status]
    while batch.processing_status != "ended":
        batch = client.messages.batches.retrieve(batch.id)
        seen.append(batch.processing_status)
    assert seen == ["in_progress", "in_progress", "ended"] and batch.request_counts.errored == 1, (seen, batch)
    results = {line.custom_id: line.result for line in client.messages.batches.results(batch.id)}
    assert results["a"].message.content[0].text == "ok" and results["b"].error.error.type == "invalid_request_error"
    assert [each.id for each in client.messages.batches.list()] == [batch.id]
    assert client.messages.batches.delete(batch.id).type == "message_batch_deleted"


for part in (words, tools, threads, errors, beside):
    part()
    print(part.__name__)
