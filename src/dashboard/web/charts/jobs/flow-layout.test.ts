import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JobFlow } from '../../../api/jobs.ts';
import { flowLayout, flowSentence } from './flow-layout.ts';

const idle: JobFlow = {
  waiting: 0,
  delayed: 0,
  running: 0,
  deadLetters: 0,
  inPerMinute: 0,
  delayedPerMinute: 0,
  outPerMinute: 0,
  failedPerMinute: 0,
};

test('the widest link has the highest rate and a link without jobs is drawn as empty', () => {
  const { links } = flowLayout({ ...idle, inPerMinute: 100, outPerMinute: 10 }, 1000);
  const width = new Map(links.map(({ id, widthPx }) => [id, widthPx]));
  assert.ok((width.get('in-waiting') ?? 0) > (width.get('running-out') ?? 0));
  assert.deepEqual(
    links.filter(({ isEmpty }) => isEmpty).map(({ id }) => id),
    ['waiting-delayed', 'delayed-running', 'running-failed'],
  );
});

test('the whole picture stays inside its width', () => {
  fc.assert(
    fc.property(fc.integer({ min: 280, max: 2400 }), (width) => {
      const { nodes, boxWidth, boxHeight, height } = flowLayout(idle, width);
      for (const { x, y } of nodes) {
        assert.ok(x >= 0 && x + boxWidth <= width + 0.001);
        assert.ok(y >= 0 && y + boxHeight <= height + 0.001);
      }
    }),
  );
});

test('a narrow picture runs from top to bottom', () => {
  const { nodes } = flowLayout(idle, 328);
  const at = (id: string) => nodes.find((node) => node.id === id);
  assert.ok((at('out')?.y ?? 0) > (at('in')?.y ?? 0));
  assert.equal(at('out')?.x, at('in')?.x);
});

test('the sentence names a stall, a growing queue and an idle system', () => {
  assert.match(flowSentence({ ...idle, waiting: 12 }), /^Stalled: 12 jobs wait/);
  assert.match(
    flowSentence({ ...idle, waiting: 80, inPerMinute: 90, outPerMinute: 10 }),
    /^Filling up/,
  );
  assert.equal(
    flowSentence({ ...idle, waiting: 80, inPerMinute: 20, outPerMinute: 40 }),
    'Catching up: 80 jobs wait, at this rate for 4 min more.',
  );
  assert.equal(flowSentence(idle), 'No jobs at the moment.');
  assert.equal(
    flowSentence({ ...idle, running: 2, outPerMinute: 5, inPerMinute: 5 }),
    'Steady: 5 jobs per minute arrive, 5 end.',
  );
});
