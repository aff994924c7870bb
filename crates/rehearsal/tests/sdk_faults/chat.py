"""Asks for one answer a line with the official library for OpenAI's APIs, in one of its forms."""

import jobs
import openai

MODEL = "gpt-4o-mini"
TOOLS = [{"type": "function", "function": {"name": "write_file", "parameters": jobs.SCHEMA}}]


def asked(prompt):
    return {"model": MODEL, "messages": [{"role": "user", "content": prompt}], "tools": TOOLS}


def said(completion):
    choice = completion.choices[0]
    message = choice.message
    calls = [jobs.call(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]
    return message.content, calls, choice.finish_reason, message.refusal


def plain(prompt):
    with jobs.client(openai, openai.OpenAI) as client:
        return said(client.chat.completions.create(**asked(prompt)))


def iterator(prompt):
    """Pieces of calls are put together by their index, as the library's own examples do."""
    text, refusal, calls, reason = "", "", {}, None
    with jobs.client(openai, openai.OpenAI) as client:
        for chunk in client.chat.completions.create(stream=True, **asked(prompt)):
            for choice in chunk.choices:
                reason = choice.finish_reason or reason
                text += choice.delta.content or ""
                refusal += choice.delta.refusal or ""
                for piece in choice.delta.tool_calls or []:
                    call = calls.setdefault(piece.index, jobs.call(None, None, ""))
                    call["id"] = call["id"] or piece.id
                    call["name"] = call["name"] or piece.function.name
                    call["arguments"] += piece.function.arguments or ""
    return text, list(calls.values()), reason, refusal or None


def helper(prompt):
    with jobs.client(openai, openai.OpenAI) as client, client.chat.completions.stream(**asked(prompt)) as stream:
        return said(stream.get_final_completion())


jobs.serve(openai, openai.OpenAIError, {"plain": plain, "iterator": iterator, "helper": helper})
