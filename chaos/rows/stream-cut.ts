// The provider cuts one stream in ten. The caller gets an error event instead of a clean end, the streamed part is
// settled once, and no reservation remains.

import { callBody } from '../callers.ts';
import type { ChaosRow, RowFinding } from '../chaos-row.ts';
import { type Arena, type Installation, UNLIMITED_SCENARIO } from '../installation/arena.ts';
import { CALLER_KEY } from '../installation/installation-settings.ts';
import { disagreements } from '../judge/judge-money.ts';
import { untilNothingHeld } from '../judge/until-ended.ts';

const CALLERS = 20;
const CHUNKS = { chunks: 8, chunkDelayMs: 20 };

export const row: ChaosRow = {
  name: 'stream-cut',
  title: 'the provider cuts streams in the middle',
  order: 16,
  isInShort: false,
  async run(arena) {
    const { dose, provider } = arena;
    const installation = await arena.open({ size: { gateways: 2, dispatchers: 0, workers: 0 } });
    await provider.play({
      repeat: true,
      sequence: [
        { ...UNLIMITED_SCENARIO, ...CHUNKS, times: 9 },
        { ...UNLIMITED_SCENARIO, ...CHUNKS, fault: 'cut', afterChunks: 3 },
      ],
    });
    const count = Math.min(dose.jobs, dose.perWindow);
    arena.progress(`${count} callers listen`);
    const endings = await listenMany(arena, installation, count);
    await untilNothingHeld(arena, installation);
    return judge(arena, installation, endings);
  },
};

/** How a stream ended for its caller. */
type Ending = 'whole' | 'error_event' | 'refused' | 'torn';

async function listenMany(
  { signal }: Arena,
  { crew }: Installation,
  count: number,
): Promise<Ending[]> {
  const endings: Ending[] = [];
  let begun = 0;
  const listenOn = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      const url = crew.gateways[begun % crew.gateways.length]?.url ?? '';
      endings.push(await listen(url, `Story ${begun}`, signal));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, listenOn));
  return endings;
}

async function listen(url: string, about: string, signal: AbortSignal): Promise<Ending> {
  try {
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': CALLER_KEY, 'content-type': 'application/json' },
      body: callBody(about, true),
      signal,
    });
    const text = await answer.text();
    if (answer.status !== 200) return 'refused';
    if (text.includes('event: error')) return 'error_event';
    return text.includes('event: message_stop') ? 'whole' : 'torn';
  } catch {
    signal.throwIfAborted();
    return 'torn';
  }
}

async function judge(
  { provider }: Arena,
  { store }: Installation,
  endings: readonly Ending[],
): Promise<RowFinding> {
  const calls = await provider.calls();
  const money = await store.money();
  const wrong = disagreements(money);
  const count = (ending: Ending) => endings.filter((each) => each === ending).length;
  const whole = calls.filter(({ outcome }) => outcome === 'ok').length;
  return {
    attempted: endings.length,
    acknowledged: endings.length - count('torn') - count('refused'),
    lost: count('torn') + Math.max(0, whole - money.settled),
    duplicatedEffects: Math.max(0, money.records - calls.length) + wrong.length,
    duplicatedCalls: Math.max(0, calls.length - endings.length),
    limitViolations: 0,
    overspendNanos: 0,
    notes: [
      `${count('whole')} streams were whole, ${count('error_event')} ended in an error event, ${count('refused')} were refused`,
      ...wrong,
    ],
  };
}
