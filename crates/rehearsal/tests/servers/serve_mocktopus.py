"""Serves mocktopus by a file of rules on a free port and says which."""
import socket
import sys

from aiohttp import web
from mocktopus.core import load_yaml
from mocktopus.server import MockServer

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
app = MockServer(scenario=load_yaml(sys.argv[1])).create_app()
web.run_app(app, sock=listener, print=None)
