"""What the clients for Python share: a line of stdin names what is asked for, a line of JSON tells what was heard."""

import json
import sys

PROMPTS = {"text": "How is the weather?", "calls": "Write two files, please."}
MEMBERS = {"path": "string", "content": "string", "tags": "array"}
SCHEMA = {"type": "object", "properties": {name: {"type": kind} for name, kind in MEMBERS.items()}}
OPTIONS = {"base_url": sys.argv[1], "api_key": "test", "timeout": 3, "max_retries": 2}


def client(library, kind):
    """A client of its own for each question. Reading the certificates of the world costs more than all else, and none is asked for."""
    return kind(http_client=library.DefaultHttpxClient(verify=False), **OPTIONS)


def call(id, name, arguments):
    return {"id": id, "name": name, "arguments": arguments}


def serve(library, own, forms):
    """Asks in the form that the command line names; `own` is the class of all errors that the library makes."""
    print(json.dumps({"version": library.__version__}), flush=True)
    form = forms[sys.argv[2]]
    for line in sys.stdin:
        try:
            text, calls, reason, refusal = form(PROMPTS[line.strip()])
            told = {"text": text or "", "calls": calls, "reason": reason, "refusal": refusal}
        except Exception as error:
            name, status = type(error).__name__, getattr(error, "status_code", None)
            told = {"error": name, "own": isinstance(error, own), "status": status}
        print(json.dumps(told), flush=True)
