// The example deployments agree with the code: settings, roles, probes and metrics exist, and the files are valid as far as
// the programs on this machine can check them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../src/config/load-config.ts';
import { BUILT_IN_NAMES } from '../src/config/providers/built-in-providers.ts';
import { providerVariables, SECTION_VARIABLES } from '../src/config/schema/variables.ts';
import { until } from './support/budgets/money-cluster.ts';
import {
  Autoscaler,
  DEPLOY,
  exampleProcesses,
  kubernetesObjects,
  read,
  readCompose,
  Service,
  unitFiles,
  Workload,
} from './support/deploy/deploy-files.ts';
import { startTestGateway, TEST_ADMIN_KEY } from './support/gateway/test-gateway.ts';

const processes = exampleProcesses();
const variables = new Set([...SECTION_VARIABLES, ...BUILT_IN_NAMES.flatMap(providerVariables)]);

test('every example has a gateway, a dispatcher and a worker', () => {
  for (const example of ['service', 'compose', 'kubernetes'])
    for (const role of ['gateway', 'dispatcher', 'worker'])
      assert.ok(
        processes.some(({ name, args }) => name.includes(example) && args[0] === role),
        `${example} ${role}`,
      );
});

test('a process of an example is given only existing settings, with valid values', () => {
  const secret = 'x'.repeat(40);
  for (const { name, env } of processes) {
    for (const variable of Object.keys(env))
      assert.ok(variables.has(variable), `${name}: ${variable} is not a setting`);
    const filled = Object.entries(env).map(([key, value]) => [key, value === '' ? secret : value]);
    const config = loadConfig({ env: Object.fromEntries(filled), cwd: DEPLOY });
    assert.equal(config.server.host, env['HOST'] ?? '127.0.0.1', name);
  }
});

test('a process of an example has more time to stop than its requests have to end', () => {
  const { drainTimeoutMs } = loadConfig({ env: {}, cwd: DEPLOY }).server;
  for (const { name, stopTimeoutSeconds } of processes)
    assert.ok(stopTimeoutSeconds * 1000 > drainTimeoutMs + 5000, name);
});

test('a worker of an example runs the jobs of a known provider', () => {
  const workers = processes.filter(({ args }) => args[0] === 'worker');
  for (const { name, args } of workers) {
    assert.equal(args[1], '--provider', name);
    assert.ok(
      BUILT_IN_NAMES.some((provider) => provider === args[2]),
      name,
    );
  }
});

test('the container image sets only existing settings and starts the command of the package', () => {
  const text = read('container/Containerfile');
  const settings = /^ENV ((?:.*\\\n)*.*)$/m.exec(text)?.[1] ?? '';
  const names = [...settings.matchAll(/(\w+)=/g)].map(([, name = '']) => name);
  assert.ok(names.includes('SPILLWAY_DATA_DIR'));
  for (const name of names) assert.ok(variables.has(name), name);
  assert.match(text, /^ENTRYPOINT \["spillway"\]$/m);
});

test('every service and volume that compose refers to is in the file', () => {
  const { services, volumes } = readCompose();
  for (const [name, service] of Object.entries(services)) {
    for (const dependency of Object.keys(service.depends_on ?? {}))
      assert.ok(dependency in services, `${name}: ${dependency}`);
    for (const volume of service.volumes ?? [])
      assert.ok((volume.split(':')[0] ?? '') in volumes, `${name}: ${volume}`);
  }
});

test('every variable that compose requires is in compose.env', () => {
  const namesIn = (file: string, pattern: RegExp) =>
    new Set([...read(file).matchAll(pattern)].map(([, name]) => name));
  assert.deepEqual(
    namesIn('container/compose.yaml', /\$\{(\w+):/g),
    namesIn('container/compose.env', /^(\w+)=/gm),
  );
});

test('selectors, volumes and services of the Kubernetes objects fit together', () => {
  const workloads = kubernetesObjects(Workload);
  assert.equal(workloads.length, 3);
  const services = kubernetesObjects(Service);
  for (const { metadata, spec } of workloads) {
    const { metadata: pod, spec: podSpec } = spec.template;
    assert.deepEqual(spec.selector.matchLabels, pod.labels, metadata.name);
    const volumes = [
      ...podSpec.volumes,
      ...(spec.volumeClaimTemplates ?? []).map((c) => c.metadata),
    ];
    const names = volumes.map(({ name }) => name);
    for (const mount of podSpec.containers[0].volumeMounts)
      assert.ok(names.includes(mount.name), `${metadata.name}: ${mount.name}`);
    if (spec.serviceName === undefined) continue;
    assert.ok(services.some((service) => service.metadata.name === spec.serviceName));
  }
  for (const { metadata, spec } of services)
    assert.ok(
      workloads.some((workload) => isSubset(spec.selector, workload.spec.selector.matchLabels)),
      metadata.name,
    );
});

test('the autoscalers use a metric that /metrics has, for workloads that exist, and probes answer', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  const headers = { authorization: `Bearer ${TEST_ADMIN_KEY}` };
  let metrics = '';
  await until('the first scaling check has run', async () => {
    metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
    return metrics.includes('\ncluster_replicas_desired{');
  });
  const autoscalers = kubernetesObjects(Autoscaler);
  assert.equal(autoscalers.length, 2);
  const workloads = kubernetesObjects(Workload);
  for (const { spec } of autoscalers) {
    assert.ok(workloads.some(({ metadata }) => metadata.name === spec.scaleTargetRef.name));
    for (const { external } of spec.metrics) {
      const { name, selector } = external.metric;
      const series = metrics.split('\n').filter((line) => line.startsWith(`${name}{`));
      const labels = Object.entries(selector.matchLabels);
      assert.ok(
        series.some((line) =>
          labels.every(([label, value]) => line.includes(`${label}="${value}"`)),
        ),
        `${name} ${JSON.stringify(selector)} in ${series.join(' ')}`,
      );
      assert.match(read('kubernetes/prometheus-adapter.yaml'), new RegExp(`max\\(${name}\\{`));
    }
  }
  for (const { spec } of workloads) {
    const [{ readinessProbe, livenessProbe }] = spec.template.spec.containers;
    for (const { httpGet } of [readinessProbe, livenessProbe])
      assert.equal((await fetch(gateway.url + httpGet.path)).status, 200, httpGet.path);
  }
});

test('systemd accepts the units', { skip: isMissing('systemd-analyze') }, () => {
  const files = unitFiles().map((file) => join(DEPLOY, file));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files]);
  assert.equal(status, 0, stderr.toString());
});

test('kubectl accepts the kustomization', { skip: isMissing('kubectl') }, () => {
  const { status, stderr, stdout } = spawnSync('kubectl', [
    'kustomize',
    join(DEPLOY, 'kubernetes'),
  ]);
  assert.equal(status, 0, stderr.toString());
  assert.match(stdout.toString(), /image: registry\.example\.com\/spillway:/);
});

function isMissing(program: string): string | false {
  const { error } = spawnSync(program, ['--help'], { stdio: 'ignore' });
  return error ? `${program} is not installed` : false;
}

function isSubset(part: Record<string, string>, whole: Record<string, string>): boolean {
  return Object.entries(part).every(([key, value]) => whole[key] === value);
}
