// A strict reader of the Prometheus text format: every line is HELP, TYPE or a sample of the family above it; names, labels and
// values have their syntax; no series appears twice; the buckets of a histogram rise to its count.

import assert from 'node:assert/strict';

export type Sample = {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
};

export type Family = { readonly type: string; readonly help: string; readonly samples: Sample[] };

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\\n]|\\\\|\\n)*)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/;
const LABEL = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`;
const SAMPLE = new RegExp(
  String.raw`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(${LABEL}(?:,${LABEL})*)\})? (\S+)$`,
);

export function readExposition(text: string): ReadonlyMap<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line ends');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let help: readonly [string, string] | undefined;
  let current: readonly [string, Family] | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, helpName, helpText = ''] = HELP.exec(line) ?? [];
    const [, typeName, type = ''] = TYPE.exec(line) ?? [];
    if (helpName !== undefined) help = [helpName, helpText];
    else if (typeName !== undefined) {
      assert.equal(help?.[0], typeName, `HELP before TYPE: ${line}`);
      assert.ok(!families.has(typeName), `one family: ${line}`);
      current = [typeName, { type, help: help?.[1] ?? '', samples: [] }];
      families.set(...current);
    } else addSample(line, current, seen);
  }
  for (const [name, family] of families)
    if (family.type === 'histogram') checkBuckets(name, family);
  return families;
}

function addSample(
  line: string,
  current: readonly [string, Family] | undefined,
  seen: Set<string>,
): void {
  const [, name = '', labels = '', text = ''] = SAMPLE.exec(line) ?? [];
  assert.ok(name !== '' && current, `not a sample: ${line}`);
  const [family, { type, samples }] = current;
  const names =
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => family + end) : [family];
  assert.ok(names.includes(name), `${name} in the family ${family}`);
  assert.ok(!seen.has(`${name}{${labels}}`), `twice: ${line}`);
  seen.add(`${name}{${labels}}`);
  const value = Number(text);
  assert.ok(Number.isFinite(value), `a number: ${line}`);
  if (type === 'counter') assert.ok(name.endsWith('_total') && value >= 0, line);
  samples.push({ name, labels, value });
}

function checkBuckets(name: string, { samples }: Family): void {
  const last = new Map<string, number>();
  for (const sample of samples) {
    const key = sample.labels.replace(/,?le="[^"]*"/, '');
    if (sample.name === `${name}_bucket`) {
      assert.ok(sample.value >= (last.get(key) ?? 0), `${name} rises`);
      last.set(key, sample.value);
    }
    if (sample.name === `${name}_count`) assert.equal(sample.value, last.get(key), name);
  }
}
