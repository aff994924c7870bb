import subprocess


def run_command(command: str) -> str:
    "Run a shell command in the workspace; gives its output and its exit status."
    ran = subprocess.run(
        command,
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=60,
    )
    return f"{ran.stdout}exit status {ran.returncode}"
