// A translated stream against a native one, both through the gateway: translated callers use Chat Completions, native callers
// Anthropic's format, and the provider sends the same Anthropic events to both. The cost of the native path itself is
// measured by the rows `unary` and `streaming`.

import type { BenchRow } from '../bench-row.ts';
import { measureStreams } from '../measure-streams.ts';
import { BENCH_KEY } from '../processes/gateway-settings.ts';
import { MODEL, STREAM_BODY_BYTES, STREAM_EVENTS } from '../programs/fixed-answers.ts';
import { describeRounds } from '../report/describe-rounds.ts';
import { figureOf, ratioOf } from '../report/statistics.ts';
import { measureSideBySide } from '../side-by-side.ts';
import type { Stage } from '../stage.ts';
import type { Subject } from '../subject.ts';

const INTERVAL_MS = 5;
const SLOW_INTERVAL_MS = 200;
const STREAMS = 500;
const KIB = 1_024;

export const row: BenchRow = {
  name: 'translation',
  title: '100 events from Anthropic, relayed and as Chat Completions',
  order: 3.5,
  canCalibrate: false,
  goals: [
    { key: 'cpu', what: 'CPU per translated event, against a native one', atMost: 2, unit: '×' },
    { key: 'stream', what: 'each open translated stream', atMost: 150, unit: 'KiB' },
  ],
  async run(stage) {
    const upstream = await stage.startUpstream(INTERVAL_MS);
    const native = await stage.startSubject(upstream.port);
    const translated = await asTranslated(stage, await stage.startSubject(upstream.port));
    const contest = { upstream: upstream.program, bare: native, subject: translated };
    const [base, measured] = await measureSideBySide(stage, contest, {
      connections: 64,
      isStream: true,
      expectedBytes: STREAM_BODY_BYTES,
      spreadMs: INTERVAL_MS * STREAM_EVENTS,
      sliceSeconds: 1,
    });
    await Promise.all([native.stop(), translated.stop()]);
    const cpu = (rounds: typeof base) => rounds.map((round) => round.cpuMicrosPerRequest);
    const { perStreamBytes } = await measureSlow(stage);
    return {
      figures: {
        cpu: ratioOf(cpu(measured), cpu(base)),
        stream: figureOf([perStreamBytes / KIB]),
      },
      side: [
        ...describeRounds('native', base, STREAM_EVENTS),
        ...describeRounds('translated', measured, STREAM_EVENTS),
      ],
    };
  },
};

async function measureSlow(stage: Stage) {
  const { port } = await stage.startUpstream(SLOW_INTERVAL_MS);
  const translated = await asTranslated(stage, await stage.startSubject(port));
  return measureStreams(stage, translated, STREAMS);
}

/** The expected size is the size of a first answer: ids and times have a fixed length. */
async function asTranslated(stage: Stage, subject: Subject): Promise<Subject> {
  const body = JSON.stringify({
    model: MODEL,
    stream: true,
    max_completion_tokens: 256,
    messages: [{ role: 'user', content: 'Describe a spillway.  '.repeat(40) }],
  });
  const headers = {
    host: `127.0.0.1:${subject.port}`,
    authorization: `Bearer ${BENCH_KEY}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'spillway-bench',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { authorization, 'content-type': contentType } = headers;
  const first = await fetch(`http://127.0.0.1:${subject.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization, 'content-type': contentType },
    body,
    signal: stage.signal,
  });
  const expectedBytes = (await first.arrayBuffer()).byteLength;
  if (!first.ok) throw new Error(`A translated stream was answered with ${first.status}`);
  const request = `POST /v1/chat/completions HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
  return { ...subject, name: 'translating gateway', call: { request, expectedBytes } };
}
