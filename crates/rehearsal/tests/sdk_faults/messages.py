"""Asks for one answer a line with the official library for the Messages API, in one of its forms."""

import json

import anthropic
import jobs

MODEL = "claude-rehearsal"
TOOLS = [{"name": "write_file", "input_schema": jobs.SCHEMA}]


def asked(prompt):
    return {"model": MODEL, "max_tokens": 1000, "messages": [{"role": "user", "content": prompt}], "tools": TOOLS}


def said(message):
    text = "".join(block.text for block in message.content if block.type == "text")
    used = [block for block in message.content if block.type == "tool_use"]
    calls = [jobs.call(block.id, block.name, json.dumps(block.input)) for block in used]
    return text, calls, message.stop_reason, None


def plain(prompt):
    with jobs.client(anthropic, anthropic.Anthropic) as client:
        return said(client.messages.create(**asked(prompt)))


def iterator(prompt):
    """Pieces of calls are put together by the index of their block."""
    text, calls, reason = "", {}, None
    with jobs.client(anthropic, anthropic.Anthropic) as client:
        for event in client.messages.create(stream=True, **asked(prompt)):
            if event.type == "content_block_start" and event.content_block.type == "tool_use":
                calls[event.index] = jobs.call(event.content_block.id, event.content_block.name, "")
            elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                text += event.delta.text
            elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                calls[event.index]["arguments"] += event.delta.partial_json
            elif event.type == "message_delta":
                reason = event.delta.stop_reason
    return text, list(calls.values()), reason, None


def helper(prompt):
    with jobs.client(anthropic, anthropic.Anthropic) as client, client.messages.stream(**asked(prompt)) as stream:
        return said(stream.get_final_message())


jobs.serve(anthropic, anthropic.AnthropicError, {"plain": plain, "iterator": iterator, "helper": helper})
