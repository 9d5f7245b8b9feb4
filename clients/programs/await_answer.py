# One long call with one Python SDK, with its timeout raised to the given milliseconds; prints the whole text and the seconds
# as one line of JSON. Arguments: SDK, origin, key, model, `unary` or `stream`, timeout.

import json
import sys
import time

from anthropic import Anthropic
from openai import OpenAI

name, origin, key, model, mode, limit = sys.argv[1:7]
patience = {"timeout": int(limit) / 1000, "max_retries": 0}
messages = [{"role": "user", "content": "Count"}]


def anthropic_sdk():
    client = Anthropic(base_url=origin, api_key=key, **patience)
    request = {"model": model, "max_tokens": 8000, "messages": messages}
    if mode == "unary":
        return client.messages.create(**request).content[0].text
    with client.messages.stream(**request) as stream:
        return stream.get_final_text()


def openai_sdk():
    client = OpenAI(base_url=f"{origin}/v1", api_key=key, **patience)
    if mode == "unary":
        return client.chat.completions.create(model=model, messages=messages).choices[0].message.content
    with client.chat.completions.stream(model=model, messages=messages) as stream:
        return stream.get_final_completion().choices[0].message.content


call = {"anthropic (Python)": anthropic_sdk, "openai (Python)": openai_sdk}[name]
started = time.monotonic()
try:
    seen = {"text": call()}
except Exception as error:
    seen = {"errorClass": type(error).__name__, "text": str(error)}
print(json.dumps({**seen, "seconds": time.monotonic() - started}))
