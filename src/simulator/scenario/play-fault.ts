// Faults that no provider reports: silence, broken connections, corrupted bytes. On a stream each begins at
// the requested chunk, on a unary answer at the closest equivalent.

import type { OutgoingHttpHeaders } from 'node:http';
import { answerWhole, cutConnection } from '../exchange.ts';
import { framingOf } from '../formats/framing.ts';
import type { StreamOut } from '../stream-out.ts';
import { errorPage } from './error-pages.ts';
import type { Playback } from './playback.ts';
import {
  answerFully,
  beginStream,
  billInput,
  billOutput,
  endStream,
  JSON_TYPE,
  sendNothing,
} from './playback.ts';
import type { RawFault } from './scenario.ts';

type Play = (playback: Playback) => Promise<void> | void;

export async function playRawFault(playback: Playback, fault: RawFault): Promise<void> {
  const { onStream, onWhole } = FAULT_PLAYS[fault];
  await (playback.script.isStream ? onStream : onWhole)(playback);
}

const FAULT_PLAYS: Readonly<Record<RawFault, { readonly onStream: Play; readonly onWhole: Play }>> =
  {
    hang: { onStream: hang, onWhole: hang },
    'hang-after-headers': { onStream: hangAfterHeaders, onWhole: stallWhole },
    stall: { onStream: stall, onWhole: stallWhole },
    cut: { onStream: cutStream, onWhole: cutWhole },
    reset: { onStream: reset, onWhole: reset },
    'early-end': { onStream: endEarly, onWhole: truncateWhole },
    'malformed-json': { onStream: malformStream, onWhole: malformWhole },
    'truncated-json': { onStream: truncateStream, onWhole: truncateWhole },
    'empty-body': { onStream: empty, onWhole: empty },
    'html-page': { onStream: htmlPage, onWhole: htmlPage },
    'wrong-content-type': { onStream: mislabelStream, onWhole: mislabelWhole },
  };

async function hang(playback: Playback): Promise<void> {
  await sendNothing(playback);
  await answerFully(playback);
}

async function hangAfterHeaders(playback: Playback): Promise<void> {
  const stream = beginStream(playback);
  await staySilent(playback, stream);
}

async function stall(playback: Playback): Promise<void> {
  const stream = beginStream(playback);
  await stream.sendUntil(chunksBefore(playback));
  await staySilent(playback, stream);
}

/** With `pauseMs` the stream resumes where it stopped. */
async function staySilent(playback: Playback, stream: StreamOut): Promise<void> {
  const { exchange, scenario } = playback;
  const { keepAlive } = framingOf(exchange.route);
  const sendKeepAlive =
    scenario.keepAliveMs === undefined ? undefined : () => stream.write(keepAlive);
  await sendNothing(playback, sendKeepAlive);
  await stream.sendRest();
  billOutput(playback);
  endStream(playback, stream.ending, 'ok');
}

/** Sends the head and, except for `hang-after-headers`, half of the body. */
async function stallWhole(playback: Playback): Promise<void> {
  const { exchange, scenario } = playback;
  const [start, rest] = halves(playback.script.whole());
  beginWhole(playback, start.length + rest.length);
  exchange.response.flushHeaders();
  if (scenario.fault === 'stall') exchange.response.write(start);
  await sendNothing(playback);
  if (scenario.fault !== 'stall') exchange.response.write(start);
  endStream(playback, rest, 'ok');
}

async function cutStream(playback: Playback): Promise<void> {
  const stream = beginStream(playback);
  await stream.sendUntil(chunksBefore(playback));
  await stream.flushed();
  cutConnection(playback.exchange, 'cut');
}

async function cutWhole(playback: Playback): Promise<void> {
  const { exchange } = playback;
  const [start, rest] = halves(playback.script.whole());
  beginWhole(playback, start.length + rest.length);
  await new Promise((resolve) => exchange.response.write(start, resolve));
  cutConnection(exchange, 'cut');
}

function reset({ exchange }: Playback): void {
  exchange.log.finish(exchange.entry, { outcome: 'cut' });
  exchange.request.socket.resetAndDestroy();
}

async function endEarly(playback: Playback): Promise<void> {
  const stream = beginStream(playback);
  await stream.sendUntil(chunksBefore(playback));
  endStream(playback, '', 'cut');
}

async function malformStream(playback: Playback): Promise<void> {
  const stream = beginStream(playback);
  await stream.sendUntil(chunksBefore(playback));
  await stream.sendEvent({ name: 'message', data: MALFORMED, contentBytes: 0 });
  endStream(playback, stream.ending, 'garbled');
}

function malformWhole(playback: Playback): void {
  sendGarbled(playback, JSON_TYPE, MALFORMED);
}

async function truncateStream(playback: Playback): Promise<void> {
  const stream = beginStream(playback);
  await stream.sendUntil(chunksBefore(playback));
  const frame = stream.nextFrame();
  endStream(playback, frame.slice(0, Math.ceil(frame.length / 2)), 'garbled');
}

function truncateWhole(playback: Playback): void {
  sendGarbled(playback, JSON_TYPE, halves(playback.script.whole())[0].toString());
}

function empty(playback: Playback): void {
  const { exchange, script } = playback;
  const type = script.isStream ? framingOf(exchange.route).contentType : 'application/json';
  sendGarbled(playback, { 'content-type': type }, '');
}

function htmlPage({ exchange, scenario, headers }: Playback): void {
  const status = scenario.status ?? 502;
  const page = errorPage(scenario.page ?? 'nginx', status, scenario.secret);
  answerWhole(exchange, status, { ...headers, ...page.headers }, page.body, 'refused');
}

async function mislabelStream(playback: Playback): Promise<void> {
  const headers = { ...playback.headers, ...HTML_TYPE };
  const stream = beginStream({ ...playback, headers });
  await stream.sendRest();
  billOutput(playback);
  endStream(playback, stream.ending, 'garbled');
}

function mislabelWhole(playback: Playback): void {
  sendGarbled(playback, HTML_TYPE, playback.script.whole());
}

const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' } as const;

/** Resembles JSON and does not parse. */
const MALFORMED = '{"id":"sim","content":[{"type":"text","text":"Hello"}}]';

function chunksBefore({ scenario }: Playback): number {
  return scenario.afterChunks ?? 0;
}

function halves(body: string): readonly [Buffer, Buffer] {
  const bytes = Buffer.from(body);
  const middle = Math.ceil(bytes.length / 2);
  return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

function beginWhole(playback: Playback, length: number): void {
  const { exchange, headers } = playback;
  billInput(playback);
  billOutput(playback);
  exchange.entry.status = 200;
  exchange.response.writeHead(200, { ...headers, ...JSON_TYPE, 'content-length': length });
}

function sendGarbled(playback: Playback, type: OutgoingHttpHeaders, body: string): void {
  const { exchange, scenario, headers } = playback;
  const { status = 200 } = scenario;
  if (status < 400) {
    billInput(playback);
    billOutput(playback);
  }
  answerWhole(exchange, status, { ...headers, ...type }, body, 'garbled');
}
