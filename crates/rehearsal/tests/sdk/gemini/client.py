"""Reads every answer of suite.yaml with the official library, plain and streamed. Any warning and any difference is a failure."""

import logging
import sys

from google import genai
from google.genai import errors, types

MODEL = "gemini-3-pro-preview"
WEATHER = types.FunctionDeclaration(
    name="get_weather",
    description="Weather.",
    parameters_json_schema={"type": "object", "properties": {"city": {"type": "string"}}},
)
ALONE = types.AutomaticFunctionCallingConfig(disable=True)
TOOLS = {"tools": [types.Tool(function_declarations=[WEATHER])], "automatic_function_calling": ALONE}
THINKS = {"thinking_config": types.ThinkingConfig(include_thoughts=True)}
WORDS = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    529: "UNAVAILABLE",
}


class Loud(logging.Handler):
    """The library warns by its log."""

    def emit(self, record):
        raise AssertionError(record.getMessage())


logging.getLogger("google_genai").addHandler(Loud(logging.WARNING))


def connected(**more):
    options = types.HttpOptions(base_url=sys.argv[1], **more)
    return genai.Client(api_key="test", vertexai=False, http_options=options)


client = connected(retry_options=types.HttpRetryOptions(attempts=2, initial_delay=0.01))


def user(text):
    return types.Content(role="user", parts=[types.Part(text=text)])


def joined(parts):
    """Parts with the texts that follow each other as one."""
    all = []
    for part in parts:
        last = all[-1] if all else None
        if last and last.text is not None and part.text is not None and last.thought == part.thought:
            signature = part.thought_signature or last.thought_signature
            all[-1] = types.Part(text=last.text + part.text, thought=part.thought, thought_signature=signature)
        else:
            all.append(part)
    return all


def said(parts, last):
    candidate = last.candidates[0]
    ended = candidate.finish_reason, candidate.finish_message, last.usage_metadata, last.model_version
    return joined(parts), ended


def parts_of(response):
    content = response.candidates[0].content
    return content.parts if content else []


def ask(contents, **config):
    """The answer, which must be the same plain and streamed."""
    more = {"model": MODEL, "contents": contents, "config": types.GenerateContentConfig(**config)}
    plain = client.models.generate_content(**more)
    chunks = list(client.models.generate_content_stream(**more))
    streamed = [part for chunk in chunks for part in parts_of(chunk)]
    assert said(parts_of(plain), plain) == said(streamed, chunks[-1]), (plain, chunks)
    assert plain.model_version == MODEL and plain.response_id.startswith("gate-")
    return plain


def responses(answer, with_ids=True):
    calls = [part.function_call for part in answer.candidates[0].content.parts if part.function_call]
    made = [(call.id if with_ids else None, call.name) for call in calls]
    parts = [types.FunctionResponse(id=id, name=name, response={"weather": "sunny"}) for id, name in made]
    return types.Content(role="user", parts=[types.Part(function_response=part) for part in parts])


def words():
    answer = ask([user("Say hello to me please.")])
    assert answer.text == 'Hello. Grüße 😀 "q" \\ \n end' and answer.candidates[0].finish_reason == "STOP"
    assert ask([user("Talk until you are cut off.")]).candidates[0].finish_reason == "MAX_TOKENS"
    assert ask([user("Answer me at the second attempt.")]).text == "Now."
    refused = ask([user("Do something bad now.")])
    assert refused.candidates[0].finish_reason == "SAFETY" and refused.text is None


def tools():
    asked = [user("Weather in Paris, please?")]
    answer = ask(asked, **TOOLS, **THINKS)
    thought, text, call = answer.candidates[0].content.parts
    assert thought.thought and thought.text == "I will look it up. Ünïcode." and text.text == "Let me look."
    made = call.function_call
    assert made.args == {"city": 'Paris "x" \\ \n é 😀', "days": 9007199254740993, "share": 0.5}
    asked += [answer.candidates[0].content, responses(answer)]
    assert ask(asked, **TOOLS).text == "It is sunny."
    unsigned = call.model_copy(update={"thought_signature": None})
    changed = call.model_copy(update={"thought_signature": b"other"})
    for broken, words in ((unsigned, "missing a thought_signature"), (changed, "Corrupted")):
        asked[1] = types.Content(role="model", parts=[text, broken])
        try:
            ask(asked, **TOOLS)
        except errors.ClientError as error:
            assert words in error.message, error
        else:
            raise AssertionError("a signature that is changed or missing is refused")


def parallel():
    asked = [user("Weather in Rome and nowhere?")]
    answer = ask(asked, **TOOLS)
    assert [call.args for call in answer.function_calls] == [{"city": "Rome"}, {}]
    for with_ids in (True, False):
        content = answer.candidates[0].content.model_copy(deep=True)
        for part in content.parts if not with_ids else []:
            part.function_call.id = None
        assert ask([*asked, content, responses(answer, with_ids)], **TOOLS).text == "Both are fine."


def get_weather(city: str = "", days: int = 0, share: float = 0) -> str:
    """Weather."""
    return "sunny"


def chats():
    """The library's own loop of calls and its own history."""
    for prompt, last in (("Weather in Paris, please?", "It is sunny."), ("Weather in Rome and nowhere?", "Both are fine.")):
        chat = client.chats.create(model=MODEL, config={"tools": [get_weather]})
        assert chat.send_message(prompt).text == last
        chat = client.chats.create(model=MODEL, config={"tools": [get_weather]})
        parts = [part for chunk in chat.send_message_stream(prompt) for part in parts_of(chunk)]
        assert "".join(part.text or "" for part in parts).endswith(last)


def failures():
    once = connected()
    for status, word in WORDS.items():
        for call in (once.models.generate_content, once.models.generate_content_stream):
            try:
                list(call(model=MODEL, contents=f"Fail with the status {status}."))
            except errors.APIError as error:
                assert (error.code, error.status, error.message) == (status, word, "told"), error
                details = error.details["error"].get("details", [])
                assert [detail["retryDelay"] for detail in details] == (["7s"] if status == 429 else [])
            else:
                raise AssertionError(f"{status} is an error")


def beside():
    assert client.models.count_tokens(model=MODEL, contents="hi there you").total_tokens == 3
    models = list(client.models.list())
    assert models and all(model.name.startswith("models/") for model in models)
    assert client.models.get(model="gemini-x").name == "models/gemini-x"


for part in (words, tools, parallel, chats, failures, beside):
    part()
    print(part.__name__)
