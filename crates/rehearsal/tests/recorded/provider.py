"""Serves fakellm on a free port and says which."""
import os
import socket
import sys

os.environ["FAKELLM_CONFIG"] = sys.argv[1]

import uvicorn
from fakellm.server import app

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
