// A vendor whose model works through a task: it calls the client's shell tool a number of times, each with one command, and
// then says that it is done. It answers in each wire format, streamed, from the tools and results of the request.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

export type ScriptedVendor = {
  readonly url: string;
  /** The paths of the requests that had tools, in order. */
  readonly paths: readonly string[];
  close(): Promise<void>;
};

export const DONE = 'The task is complete.';

type Step = { readonly tool: string; readonly command: string } | undefined;

/** `commands` are run in order, one per turn. */
export async function startScriptedVendor(commands: readonly string[]): Promise<ScriptedVendor> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    textOf(request)
      .then((body) => {
        const path = (request.url ?? '').replace(/\?.*/, '');
        const step = stepOf(body, commands);
        if (step !== 'other') paths.push(path);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(events(path, step === 'other' ? undefined : step));
      })
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    paths,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The shell tools of the agents; `other` for a request without one, such as for a title. */
const SHELL_TOOL = /"name":"(Bash|bash|exec_command|shell_command|shell)"/;
const RESULTS = /"type":"tool_result"|"role":"tool"|"functionResponse":/g;

function stepOf(body: string, commands: readonly string[]): Step | 'other' {
  const tool = SHELL_TOOL.exec(body)?.[1];
  if (tool === undefined) return 'other';
  const command = commands[body.match(RESULTS)?.length ?? 0];
  return command === undefined ? undefined : { tool, command };
}

function argumentsOf({ tool, command }: NonNullable<Step>): object {
  if (tool === 'exec_command') return { cmd: command };
  if (tool === 'shell') return { command: ['bash', '-lc', command] };
  return { command, description: 'Runs a step of the task' };
}

function events(path: string, step: Step): string {
  if (path.endsWith('/messages')) return anthropic(step);
  return path.endsWith('/chat/completions') ? openai(step) : gemini(step);
}

function anthropic(step: Step): string {
  const block = step
    ? { type: 'tool_use', id: 'toolu_1', name: step.tool, input: {} }
    : { type: 'text', text: '' };
  const delta = step
    ? { type: 'input_json_delta', partial_json: JSON.stringify(argumentsOf(step)) }
    : { type: 'text_delta', text: DONE };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] };
  return [
    {
      type: 'message_start',
      message: { ...message, usage: { input_tokens: 9, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: step ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function openai(step: Step): string {
  const call = step && { name: step.tool, arguments: JSON.stringify(argumentsOf(step)) };
  const delta = call
    ? { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] }
    : { content: DONE };
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const chunks = [
    { ...head, choices: [{ index: 0, delta: { role: 'assistant', ...delta } }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: step ? 'tool_calls' : 'stop' }] },
    { ...head, choices: [], usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 } },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

function gemini(step: Step): string {
  const part = step
    ? { functionCall: { name: step.tool, args: argumentsOf(step) }, thoughtSignature: 'cHJvb2Y=' }
    : { text: DONE };
  const answer = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
  };
  return `data: ${JSON.stringify(answer)}\r\n\r\n`;
}
