"""Starts an object store for tests, in a temporary folder and on free ports: `python3 server.py seaweedfs|azurite`.

Prints one line of JSON once it answers: the URL for stores, and the variables of the environment that open it. Ends when its
standard input is closed, which also happens if whoever started it is killed. `.ci/install-store` installs both servers.
"""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from email.utils import formatdate

# Credentials that no error and no file may show. Azurite knows its account from the environment.
ACCOUNT, KEY = "gpulsmaccount", base64.b64encode(b"a very secret key of the account").decode()
ACCESS_KEY, SECRET_KEY = "gpulsmaccess", "a-very-secret-key-of-the-user"
BUCKET = "stores"
PATIENCE = 60


def free_ports(count):
    """Ports that nobody listens on, all different."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def seaweedfs(folder):
    """The command, what it needs of the environment, how stores open it, and how to make a bucket."""
    names = ["master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc",
             "s3.port", "s3.port.grpc"]
    ports = dict(zip(names, free_ports(len(names))))
    users = [{"name": "test", "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
              "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]
    config = os.path.join(folder, "s3.json")
    with open(config, "w") as file:
        json.dump({"identities": users}, file)
    command = ["weed", "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder}", "-filer", "-s3",
               f"-s3.config={config}", "-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false",
               "-master.volumeSizeLimitMB=64",
               "-volume.max=200", *(f"-{name}={port}" for name, port in ports.items())]
    opened_by = {"AWS_ENDPOINT": f"http://127.0.0.1:{ports['s3.port']}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "any",
                 "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
    return command, {}, f"s3://{BUCKET}", opened_by, lambda: make_bucket(ports["filer.port"], ports["s3.port"])


def make_bucket(filer, s3):
    """A bucket is a folder of SeaweedFS's own file server. It can be used once a file can be written there."""
    request(filer, f"/buckets/{BUCKET}/probe", "PUT", body=b"x")
    request(filer, f"/buckets/{BUCKET}/probe", "DELETE")
    socket.create_connection(("127.0.0.1", s3), 10).close()


def azurite(folder):
    """As above."""
    (port,) = free_ports(1)
    command = ["azurite-blob", "--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", folder, "--silent",
               "--disableTelemetry", "--skipApiVersionCheck"]
    opened_by = {"AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT, "AZURE_STORAGE_ACCOUNT_KEY": KEY, "AZURE_ALLOW_HTTP": "true",
                 "AZURE_ENDPOINT": f"http://127.0.0.1:{port}/{ACCOUNT}"}
    return command, {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{KEY}"}, f"az://{BUCKET}", opened_by, lambda: make_container(port)


def make_container(port):
    """Signed with the account's key, since nobody else may make one."""
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-12-02"}
    resource = f"/{ACCOUNT}/{ACCOUNT}/{BUCKET}\nrestype:container"
    signed = "PUT" + "\n" * 12 + "".join(f"{name}:{value}\n" for name, value in headers.items()) + resource
    signature = hmac.new(base64.b64decode(KEY), signed.encode(), hashlib.sha256).digest()
    headers["Authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(signature).decode()}"
    request(port, f"/{ACCOUNT}/{BUCKET}?restype=container", "PUT", headers)


def request(port, path, method, headers=None, body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers or {}, method=method)
    urllib.request.urlopen(request, timeout=10).close()


def wait_for(prepare, server, log):
    """Repeats a request until it succeeds."""
    for _ in range(PATIENCE * 10):
        try:
            return prepare()
        except (OSError, urllib.error.URLError) as error:
            failure = error
        if server.poll() is not None:
            break
        time.sleep(0.1)
    with open(log, errors="replace") as file:
        sys.exit(f"the server does not answer: {failure}\n{file.read()[-3000:]}")


def main():
    start = {"seaweedfs": seaweedfs, "azurite": azurite}[sys.argv[1]]
    folder = tempfile.mkdtemp(prefix="gpu-lsm-server-")
    try:
        command, environment, url, opened_by, prepare = start(folder)
        log = os.path.join(folder, "log")
        with open(log, "w") as file:
            server = subprocess.Popen(command, env=os.environ | environment, cwd=folder, stdin=subprocess.DEVNULL,
                                      stdout=file, stderr=file)
        try:
            wait_for(prepare, server, log)
            print(json.dumps({"url": url, "environment": opened_by}), flush=True)
            sys.stdin.read()
        finally:
            server.kill()
            server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
