# Requests with one Python client, one after another, with its default retries and timeouts; prints as one line of JSON what
# its caller catches first and the seconds of the longest request. Arguments: client, origin, key, model, `unary` or
# `stream`, requests.

import importlib
import json
import sys
import time

name, origin, key, model, mode, requests = sys.argv[1:7]
prompt = "Say hello"


def anthropic_sdk():
    from anthropic import Anthropic

    request = {"model": model, "max_tokens": 200, "messages": [{"role": "user", "content": prompt}]}
    client = Anthropic(base_url=origin, api_key=key)
    if mode == "unary":
        return client.messages.create(**request).id
    with client.messages.stream(**request) as stream:
        return stream.get_final_message().id


def openai_sdk():
    from openai import OpenAI

    client = OpenAI(base_url=f"{origin}/v1", api_key=key)
    messages = [{"role": "user", "content": prompt}]
    if mode == "unary":
        return client.chat.completions.create(model=model, messages=messages).id
    with client.chat.completions.stream(model=model, messages=messages) as stream:
        return stream.get_final_completion().id


def google_sdk():
    from google import genai

    client = genai.Client(api_key=key, http_options={"base_url": origin})
    if mode == "unary":
        return client.models.generate_content(model=model, contents=prompt).text
    last = None
    for chunk in client.models.generate_content_stream(model=model, contents=prompt):
        last = chunk
    reason = last.candidates[0].finish_reason if last and last.candidates else None
    return "ok" if reason else "incomplete, without an error"


def litellm_client():
    import litellm

    litellm.suppress_debug_info = True
    answer = litellm.completion(
        model=f"anthropic/{model}", api_base=origin, api_key=key, stream=mode == "stream",
        messages=[{"role": "user", "content": prompt}],
    )
    return answer.id if mode == "unary" else "".join(c.choices[0].delta.content or "" for c in answer)


def langchain_anthropic():
    from langchain_anthropic import ChatAnthropic

    chat = ChatAnthropic(model=model, base_url=origin, api_key=key, max_tokens=200)
    return chat.invoke(prompt).text if mode == "unary" else "".join(c.text for c in chat.stream(prompt))


def langchain_openai():
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(model=model, base_url=f"{origin}/v1", api_key=key)
    return chat.invoke(prompt).text if mode == "unary" else "".join(c.text for c in chat.stream(prompt))


def llama_index():
    from llama_index.llms.openai import OpenAI

    llm = OpenAI(model=model, api_base=f"{origin}/v1", api_key=key)
    return str(llm.complete(prompt)) if mode == "unary" else "".join(c.delta for c in llm.stream_complete(prompt))


def instructor_client():
    import instructor
    from openai import OpenAI
    from pydantic import BaseModel

    class Greeting(BaseModel):
        text: str

    client = instructor.from_openai(OpenAI(base_url=f"{origin}/v1", api_key=key))
    messages = [{"role": "user", "content": prompt}]
    if mode == "unary":
        return client.chat.completions.create(model=model, response_model=Greeting, messages=messages).text
    last = None
    for part in client.chat.completions.create_partial(model=model, response_model=Greeting, messages=messages):
        last = part
    return str(last)


CALLS = {
    "anthropic (Python)": ("anthropic", anthropic_sdk),
    "openai (Python)": ("openai", openai_sdk),
    "google-genai (Python)": ("google.genai", google_sdk),
    "litellm": ("litellm", litellm_client),
    "langchain-anthropic": ("langchain_anthropic", langchain_anthropic),
    "langchain-openai": ("langchain_openai", langchain_openai),
    "llama-index": ("llama_index.llms.openai", llama_index),
    "instructor": ("instructor", instructor_client),
}

module, call = CALLS[name]
importlib.import_module(module)


def request():
    started = time.monotonic()
    try:
        seen = {"text": str(call() or "")}
    except Exception as error:
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        label = f"{type(error).__name__} {status}" if isinstance(status, int) else type(error).__name__
        ancestors = [each.__name__ for each in type(error).__mro__]
        seen = {"errorClass": label, "ancestors": ",".join(ancestors), "text": str(error)}
    return {**seen, "seconds": time.monotonic() - started}


seen = []
for number in range(1, int(requests) + 1):
    prompt = f"Say hello {number}"
    seen.append(request())
shown = next((each for each in seen if "errorClass" in each), seen[0])
print(json.dumps({**shown, "seconds": max(each["seconds"] for each in seen)}))
