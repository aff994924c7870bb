"""Reads every answer of suite.yaml with the official library, plain and streamed. Any warning and any difference is a failure."""

import sys

import ollama

client = ollama.Client(host=sys.argv[1])
MODEL = "llama3.2"
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "d", "parameters": {"type": "object", "properties": {}}}}
    for name in ("write_file", "one", "two")
]


def said(prompt):
    return [{"role": "user", "content": prompt}]


def calls(message):
    return [(call.function.name, call.function.arguments) for call in message.tool_calls or []]


def ask(messages, **more):
    """The answer, which must be the same plain and streamed."""
    plain = client.chat(model=MODEL, messages=messages, tools=TOOLS, **more)
    parts = list(client.chat(model=MODEL, messages=messages, tools=TOOLS, stream=True, **more))
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True], parts
    assert "".join(part.message.content for part in parts) == plain.message.content, (parts, plain)
    assert "".join(part.message.thinking or "" for part in parts) == (plain.message.thinking or "")
    assert [call for part in parts for call in calls(part.message)] == calls(plain.message)
    for key in ("done_reason", "eval_count", "prompt_eval_count", "total_duration", "model", "created_at"):
        assert parts[-1][key] == plain[key], key
    return plain


def words():
    first = ask(said("say text"))
    assert (first.message.content, first.message.thinking) == ('Wörds, "quotes" and\nlines 🎭.', "Let me see.")
    assert ask(said("say text"), think=False).message.thinking is None
    assert ask(said("say refusal")).message.content == "I will not."
    cut = ask(said("say length"))
    assert (cut.done_reason, cut.prompt_eval_count, cut.eval_count) == ("length", 12, 34)
    assert ask(said("give me json"), format="json").message.content == "{}"
    schema = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    assert ask(said("give me json"), format=schema).message.content == '{"age":0}'
    print("words")


def tools():
    first = ask(said("say call"))
    assert calls(first.message) == [("write_file", {"path": "a.txt", "content": "x\n"})]
    answer = {"role": "tool", "tool_name": "write_file", "content": "fine"}
    assert ask(said("say call") + [first.message, answer]).message.content == "done"
    both = ask(said("say both"))
    assert (both.message.content, [name for name, _ in calls(both.message)]) == ("Both at once.", ["one", "two", "one"])
    answers = [{"role": "tool", "tool_name": name, "content": "fine"} for name in ("two", "one", "one")]
    assert ask(said("say both") + [both.message, *answers]).message.content == "done"
    both.message.tool_calls[1].function.arguments["text"] = "changed"
    assert "another value" in refused(400, lambda: ask(said("say both") + [both.message, *answers]))
    print("tools")


def generate():
    plain = client.generate(model=MODEL, prompt="say text", system="Be brief.")
    parts = list(client.generate(model=MODEL, prompt="say text", system="Be brief.", stream=True))
    assert "".join(part.response for part in parts) == plain.response == 'Wörds, "quotes" and\nlines 🎭.'
    assert (parts[-1].context, plain.thinking) == (plain.context, "Let me see."), parts
    assert client.generate(model=MODEL, prompt="And then?", context=plain.context).response == "more"
    print("generate")


def beside():
    assert [model.model for model in client.list().models][0] == "llama3.2:latest"
    shown = client.show(MODEL)
    assert "tools" in shown.capabilities and shown.modelinfo["general.architecture"] == "llama", shown
    assert client.ps().models == []
    vectors = client.embed(model=MODEL, input=["a", "b", "a"]).embeddings
    assert len(vectors) == 3 and len(vectors[0]) == 768 and vectors[0] == vectors[2] != vectors[1]
    assert client.embeddings(model=MODEL, prompt="a").embedding == vectors[0]
    print("beside")


def refused(status, ask):
    try:
        ask()
    except ollama.ResponseError as error:
        assert error.status_code == status, error
        return error.error
    raise AssertionError("nothing was raised")


def errors():
    for status, words in [(400, "bad"), (429, "slow"), (500, "oh"), (529, "much")]:
        messages = said(f"fail {status}")
        assert refused(status, lambda: client.chat(model=MODEL, messages=messages)) == words
        assert refused(status, lambda: list(client.chat(model=MODEL, messages=messages, stream=True))) == words
    print("errors")


words()
tools()
generate()
beside()
errors()
client.close()
