// Measures how long /health takes, from a thread of its own: the load of the test itself must not delay the measurement.

import { parentPort, Worker, workerData } from 'node:worker_threads';

const INTERVAL_MS = 20;

/** Runs `work` and returns the durations of /health during it, in milliseconds. */
export async function healthDuring(url: string, work: () => Promise<void>): Promise<number[]> {
  const probe = new Worker(new URL(import.meta.url), { workerData: url });
  const durations = new Promise<number[]>((resolve, reject) => {
    probe.once('message', resolve);
    probe.once('error', reject);
  });
  try {
    await work();
  } finally {
    probe.postMessage('stop');
  }
  const measured = await durations;
  await probe.terminate();
  return measured;
}

export function medianOf(durations: readonly number[]): number {
  return durations.toSorted((one, other) => one - other)[Math.floor(durations.length / 2)] ?? 0;
}

async function probe(url: string): Promise<void> {
  const durations: number[] = [];
  const stopped = new AbortController();
  parentPort?.once('message', () => stopped.abort());
  do {
    const startedAt = performance.now();
    const response = await fetch(`${url}/health`);
    await response.text();
    durations.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  } while (!stopped.signal.aborted);
  parentPort?.postMessage(durations);
}

if (typeof workerData === 'string') await probe(workerData);
