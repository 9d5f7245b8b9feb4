// A scenario of the simulator for one request: sets a preset and restores the scenarios that were active before.

import { z } from 'zod';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { SimulatorControl } from '../../http/routes/simulator.ts';

const active = z.object({ data: z.array(z.record(z.string(), z.unknown())) });
const presets = z.object({
  data: z.array(z.looseObject({ name: z.string(), description: z.string() })),
});

/** Returns the function that restores the earlier scenarios. */
export function playScenario(
  simulator: SimulatorControl | undefined,
  name: string | undefined,
): () => void {
  if (name === undefined) return () => {};
  const isKnown = listScenarios(simulator).some((preset) => preset.name === name);
  if (!simulator || !isKnown)
    throw new SpillwayError('NOT_FOUND', 'no such scenario, or no simulator');
  const before = active.safeParse(call(simulator, 'GET', '/scenario'));
  call(simulator, 'DELETE', '/scenario');
  call(simulator, 'PUT', '/scenario', { preset: name });
  return () => {
    call(simulator, 'DELETE', '/scenario');
    for (const scenario of before.data?.data ?? []) call(simulator, 'PUT', '/scenario', scenario);
  };
}

/** Empty without the simulator. */
export function listScenarios(
  simulator: SimulatorControl | undefined,
): readonly { readonly name: string; readonly description: string }[] {
  if (!simulator) return [];
  const listed = presets.safeParse(call(simulator, 'GET', '/scenarios'));
  return (listed.data?.data ?? []).map(({ name, description }) => ({ name, description }));
}

function call(simulator: SimulatorControl, method: string, path: string, body?: object): unknown {
  const text = body === undefined ? '' : JSON.stringify(body);
  return simulator({ method, url: `/_simulator${path}`, body: text }).body;
}
