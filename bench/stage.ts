// The environment of a row: it starts programs and servers, gives the length of rounds, and reports progress. It stops
// everything it started in reverse order and removes its folder, even when the row fails or the user interrupts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ChildProgram } from './processes/child-program.ts';
import { startGateway } from './processes/gateway-process.ts';
import type { Subject } from './subject.ts';

export type Pace = {
  readonly rounds: number;
  readonly warmUpRounds: number;
  readonly seconds: number;
};

export type Stage = {
  readonly pace: Pace;
  /** The short form: fewer and shorter rounds, or a part of the load. */
  readonly isShort: boolean;
  /** The trace file that the user named, for the rows that replay a trace. */
  readonly traceFile: string | undefined;
  readonly signal: AbortSignal;
  /** Reports the current step; shown on a terminal, dropped otherwise. */
  progress(text: string): void;
  startUpstream(intervalMs: number): Promise<{ port: number; program: ChildProgram }>;
  startBareProxy(upstreamPort: number): Promise<Subject>;
  /** Starts the gateway or, to measure the noise of the machine, a second bare proxy in its place. */
  startSubject(
    upstreamPort: number,
    env?: Readonly<Record<string, string>>,
    /** Called with the gateway's data folder before the gateway starts. */
    prepare?: (folder: string) => Promise<void>,
  ): Promise<Subject>;
  /** Registers the cleanup of a resource that the row opened itself. */
  onClose(stop: () => Promise<void>): void;
  /** Starts a program of the bench that executes orders over IPC. */
  startProgram(file: string): ChildProgram;
  close(): Promise<void>;
};

export type StageOptions = {
  readonly pace: Pace;
  readonly signal: AbortSignal;
  readonly isShort: boolean;
  readonly traceFile: string | undefined;
  readonly isCalibration: boolean;
  readonly profileFolder: string | undefined;
  readonly progress: (text: string) => void;
};

const Address = z.object({ port: z.number() });

export function openStage(options: StageOptions): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-bench-'));
  const stops: (() => Promise<void>)[] = [];
  // A last resort, in case the process ends without closing the stage.
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);

  function startProgram(file: string): ChildProgram {
    options.signal.throwIfAborted();
    const program = new ChildProgram(new URL(file, import.meta.url), options.signal);
    stops.push(() => program.stop());
    return program;
  }

  async function startBareProxy(upstreamPort: number): Promise<Subject> {
    const program = startProgram('programs/bare-proxy.ts');
    const { port } = Address.parse(await program.ask('listen', { upstreamPort }));
    const headers = { 'x-api-key': 'none' };
    return { name: 'bare proxy', pid: program.pid, port, headers, stop: () => program.stop() };
  }

  return {
    pace: options.pace,
    isShort: options.isShort,
    traceFile: options.traceFile,
    signal: options.signal,
    progress: options.progress,
    startProgram,
    startBareProxy,
    async startUpstream(intervalMs) {
      const program = startProgram('programs/fixed-upstream.ts');
      const { port } = Address.parse(await program.ask('listen', { intervalMs }));
      return { port, program };
    },
    onClose: (stop) => void stops.push(stop),
    async startSubject(upstreamPort, env = {}, prepare) {
      if (options.isCalibration)
        return { ...(await startBareProxy(upstreamPort)), name: 'second bare proxy' };
      options.progress('waiting for the gateway');
      const data = join(folder, String(stops.length));
      await prepare?.(data);
      const gateway = await startGateway({
        folder: data,
        upstreamPort,
        env,
        signal: options.signal,
        profileFolder: options.profileFolder,
      });
      stops.push(() => gateway.stop());
      return gateway;
    },
    async close() {
      for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
      removeFolder();
      process.off('exit', removeFolder);
    },
  };
}
