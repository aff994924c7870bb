"""Reads what stands beside conversations with the official library: completions, embeddings, moderation. Any warning is a failure."""

import math
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="test", max_retries=0)
azure = openai.AzureOpenAI(
    azure_endpoint=sys.argv[1].removesuffix("/v1"), api_key="test", api_version="2024-10-21", max_retries=0
)
MODEL = "gpt-3.5-turbo-instruct"


def whole(model):
    """The library takes anything; its own models, asked to check, do not."""
    type(model).model_validate(model.to_dict(mode="json"))
    return model


def ask(prompt, **more):
    """The choices, which must be the same plain and streamed."""
    more = {"model": MODEL, "prompt": prompt, **more}
    plain = whole(client.completions.create(**more))
    texts, ends, usage = {}, {}, None
    for chunk in client.completions.create(stream=True, stream_options={"include_usage": True}, **more):
        # Not checked by the library's model: it takes no null `finish_reason`, which the API sends until the end.
        usage = chunk.usage or usage
        for choice in chunk.choices:
            texts[choice.index] = texts.get(choice.index, "") + choice.text
            ends[choice.index] = choice.finish_reason or ends.get(choice.index)
    assert usage == plain.usage, (usage, plain)
    assert [(texts[at], ends[at]) for at in sorted(texts)] == [(c.text, c.finish_reason) for c in plain.choices]
    return plain.choices


def refused(kind, ask):
    try:
        ask()
    except kind as error:
        return error
    raise AssertionError(f"{kind} was not raised")


def completions():
    words = 'Wörds, "quotes" and\nlines 🎭.'
    assert [choice.text for choice in ask("say text")] == [words]
    assert [choice.text for choice in ask("say text", echo=True, n=2, suffix="x", stop=["z"])] == ["say text" + words] * 2
    assert [choice.text for choice in ask(["say text", "more"], echo=True)] == ["say text" + words, "more" + words]
    assert ask("say refusal")[0].text == "I will not."
    assert ask("say length")[0].finish_reason == "length"
    assert ask([1, 2, 3])[0].text == "ok"
    assert azure.completions.create(model="d", prompt="say text").choices[0].text == words
    print("completions")


def embeddings():
    for each in (client, azure):
        floats = whole(each.embeddings.create(model="text-embedding-3-small", input=["a", "b"], encoding_format="float"))
        packed = each.embeddings.create(model="text-embedding-3-small", input=["a", "b"])
        assert floats.usage.prompt_tokens == 2, floats.usage
        for one, other in zip(floats.data, packed.data, strict=True):
            assert len(one.embedding) == 1536 and one.embedding != floats.data[1 - one.index].embedding
            assert all(abs(a - b) < 1e-7 for a, b in zip(one.embedding, other.embedding, strict=True))
            assert abs(math.fsum(a * a for a in one.embedding) - 1) < 1e-5
    short = client.embeddings.create(model="text-embedding-3-large", input="a", dimensions=256)
    assert len(short.data[0].embedding) == 256
    tokens = client.embeddings.create(model="text-embedding-ada-002", input=[[1, 2, 3], [4]])
    assert (len(tokens.data), tokens.usage.total_tokens) == (2, 4)
    error = refused(openai.BadRequestError, lambda: client.embeddings.create(model="text-embedding-ada-002", input=""))
    assert "'$.input' is invalid" in error.message, error
    print("embeddings")


def moderations():
    one = whole(client.moderations.create(input="words"))
    assert (one.model, len(one.results), one.results[0].flagged) == ("omni-moderation-latest", 1, False)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    mixed = whole(client.moderations.create(model="omni-moderation-latest", input=[{"type": "text", "text": "a"}, picture]))
    assert mixed.results[0].category_applied_input_types.violence == ["text", "image"], mixed
    assert len(client.moderations.create(model="text-moderation-latest", input=["a", "b"]).results) == 2
    print("moderations")


def errors():
    for status, kind in [
        (400, openai.BadRequestError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (529, openai.InternalServerError),
    ]:
        for stream in (False, True):
            error = refused(kind, lambda: client.completions.create(model=MODEL, prompt=f"fail {status}", stream=stream))
            assert (error.status_code, error.body["message"] in ("bad", "slow", "oh", "much")) == (status, True), error
    print("errors")


completions()
embeddings()
moderations()
errors()
