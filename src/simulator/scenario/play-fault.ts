// The faults that nobody states: silence, broken connections, bytes that are not what they should be.
// Each plays on a stream at the chunk that was asked for, and on a whole answer at the nearest thing to it.

import type { OutgoingHttpHeaders } from 'node:http';
import { answerWhole, cutConnection } from '../exchange.ts';
import { framingOf } from '../formats/framing.ts';
import type { StreamOut } from '../stream-out.ts';
import { errorPage } from './error-pages.ts';
import type { Performance } from './performance.ts';
import {
  answerFully,
  beginStream,
  billInput,
  billOutput,
  endStream,
  fallSilent,
  JSON_TYPE,
} from './performance.ts';
import type { RawFault } from './scenario.ts';

type Play = (performance: Performance) => Promise<void> | void;

export async function playRawFault(performance: Performance, fault: RawFault): Promise<void> {
  const { onStream, onWhole } = PLAYS[fault];
  await (performance.script.isStream ? onStream : onWhole)(performance);
}

const PLAYS: Readonly<Record<RawFault, { readonly onStream: Play; readonly onWhole: Play }>> = {
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
  'wrong-content-type': { onStream: misnameStream, onWhole: misnameWhole },
};

async function hang(performance: Performance): Promise<void> {
  await fallSilent(performance);
  await answerFully(performance);
}

async function hangAfterHeaders(performance: Performance): Promise<void> {
  const stream = beginStream(performance);
  await staySilent(performance, stream);
}

async function stall(performance: Performance): Promise<void> {
  const stream = beginStream(performance);
  await stream.sendUntil(chunksBefore(performance));
  await staySilent(performance, stream);
}

/** With `pauseMs` the stream goes on where it fell silent. */
async function staySilent(performance: Performance, stream: StreamOut): Promise<void> {
  const { exchange, scenario } = performance;
  const { keepAlive } = framingOf(exchange.route);
  const breathe = scenario.keepAliveMs === undefined ? undefined : () => stream.write(keepAlive);
  await fallSilent(performance, breathe);
  await stream.sendRest();
  billOutput(performance);
  endStream(performance, stream.ending, 'ok');
}

/** Sends the head and, except after `hang-after-headers`, half of the body. */
async function stallWhole(performance: Performance): Promise<void> {
  const { exchange, scenario } = performance;
  const [start, rest] = halves(performance.script.whole());
  beginWhole(performance, start.length + rest.length);
  exchange.response.flushHeaders();
  if (scenario.fault === 'stall') exchange.response.write(start);
  await fallSilent(performance);
  if (scenario.fault !== 'stall') exchange.response.write(start);
  endStream(performance, rest, 'ok');
}

async function cutStream(performance: Performance): Promise<void> {
  const stream = beginStream(performance);
  await stream.sendUntil(chunksBefore(performance));
  await stream.flushed();
  cutConnection(performance.exchange, 'cut');
}

async function cutWhole(performance: Performance): Promise<void> {
  const { exchange } = performance;
  const [start, rest] = halves(performance.script.whole());
  beginWhole(performance, start.length + rest.length);
  await new Promise((resolve) => exchange.response.write(start, resolve));
  cutConnection(exchange, 'cut');
}

function reset({ exchange }: Performance): void {
  exchange.log.finish(exchange.entry, { outcome: 'cut' });
  exchange.request.socket.resetAndDestroy();
}

async function endEarly(performance: Performance): Promise<void> {
  const stream = beginStream(performance);
  await stream.sendUntil(chunksBefore(performance));
  endStream(performance, '', 'cut');
}

async function malformStream(performance: Performance): Promise<void> {
  const stream = beginStream(performance);
  await stream.sendUntil(chunksBefore(performance));
  await stream.sendEvent({ name: 'message', data: MALFORMED, contentBytes: 0 });
  endStream(performance, stream.ending, 'garbled');
}

function malformWhole(performance: Performance): void {
  sendGarbled(performance, JSON_TYPE, MALFORMED);
}

async function truncateStream(performance: Performance): Promise<void> {
  const stream = beginStream(performance);
  await stream.sendUntil(chunksBefore(performance));
  const frame = stream.nextFrame();
  endStream(performance, frame.slice(0, Math.ceil(frame.length / 2)), 'garbled');
}

function truncateWhole(performance: Performance): void {
  sendGarbled(performance, JSON_TYPE, halves(performance.script.whole())[0].toString());
}

function empty(performance: Performance): void {
  const { exchange, script } = performance;
  const type = script.isStream ? framingOf(exchange.route).contentType : 'application/json';
  sendGarbled(performance, { 'content-type': type }, '');
}

function htmlPage({ exchange, scenario, headers }: Performance): void {
  const status = scenario.status ?? 502;
  const page = errorPage(scenario.page ?? 'nginx', status, scenario.secret);
  answerWhole(exchange, status, { ...headers, ...page.headers }, page.body, 'refused');
}

async function misnameStream(performance: Performance): Promise<void> {
  const headers = { ...performance.headers, ...HTML_TYPE };
  const stream = beginStream({ ...performance, headers });
  await stream.sendRest();
  billOutput(performance);
  endStream(performance, stream.ending, 'garbled');
}

function misnameWhole(performance: Performance): void {
  sendGarbled(performance, HTML_TYPE, performance.script.whole());
}

const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' } as const;

/** Looks like JSON at first sight, and is none. */
const MALFORMED = '{"id":"sim","content":[{"type":"text","text":"Hello"}}]';

function chunksBefore({ scenario }: Performance): number {
  return scenario.afterChunks ?? 0;
}

function halves(body: string): readonly [Buffer, Buffer] {
  const bytes = Buffer.from(body);
  const middle = Math.ceil(bytes.length / 2);
  return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

function beginWhole(performance: Performance, length: number): void {
  const { exchange, headers } = performance;
  billInput(performance);
  billOutput(performance);
  exchange.entry.status = 200;
  exchange.response.writeHead(200, { ...headers, ...JSON_TYPE, 'content-length': length });
}

function sendGarbled(performance: Performance, type: OutgoingHttpHeaders, body: string): void {
  const { exchange, scenario, headers } = performance;
  const { status = 200 } = scenario;
  if (status < 400) {
    billInput(performance);
    billOutput(performance);
  }
  answerWhole(exchange, status, { ...headers, ...type }, body, 'garbled');
}
