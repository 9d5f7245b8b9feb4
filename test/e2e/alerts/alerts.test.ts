// Every alert of three servers on one PostgreSQL and one Redis, each under its real cause: it reaches a signed webhook and
// Slack once when it starts and once when it ends, whichever server reports it.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { ALERT_NAMES } from '../../../src/kernel/notify/alert-name.ts';
import { administer, ask, newTenant } from '../../support/gateway/call-rig.ts';
import type { SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { openTcpLink, type TcpLink } from '../../support/services/tcp-link.ts';
import { startTextSink, type TextSink } from '../../support/telemetry/text-sink.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { type AlertReceiver, type ReceivedAlert, startAlertReceiver } from './alert-receiver.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const IDS = ['alpha', 'beta', 'gamma'] as const;

const SETTINGS = `
retry: { budgetCapacity: 0, refusedCredentialMs: 2s }
breaker: { failures: 5, openMs: 3s, successesToClose: 1 }
alerts:
  intervalMs: 500
  startAfter: 1
  endAfter: 2
  minFiringMs: 0
  windowMs: 7s
  countWindowMs: 7s
  minRequests: 3
  latencyP99Ms: 2s
  costPerRequestUsd: 0.000001
  rawBacklog: 3
  oldestJobMs: 1s
  overdueAfterMs: 1s
`;

type Server = { readonly process: SpillwayProcess; readonly url: string };

suite('alerts of three servers on one PostgreSQL and one Redis', { timeout: 180_000 }, () => {
  let folder: string;
  let cluster: TestCluster;
  let receiver: AlertReceiver;
  let slack: TextSink;
  let redisLink: TcpLink;
  let database: pg.Client;
  const servers = new Map<string, Server>();

  before(async () => {
    folder = makeTempFolder();
    const file = join(folder, 'spillway.yaml');
    writeFileSync(file, SETTINGS);
    receiver = await startAlertReceiver(SECRET);
    slack = await startTextSink();
    const services = servicesFromEnv(process.env);
    redisLink = await openTcpLink(services.redisUrl);
    cluster = await openTestCluster(services, folder, {
      REDIS_URL: redisLink.url,
      // The store's own queues.
      RABBITMQ_URL: '',
      ALERT_WEBHOOK_URL: receiver.url,
      ALERT_WEBHOOK_SECRET: SECRET,
      ALERT_SLACK_URL: `${slack.url}/services/T0/B0/x`,
    });
    for (const id of IDS)
      servers.set(id, await cluster.start(['gateway', '--config', file], { SERVER_ID: id }));
    database = new pg.Client({
      connectionString: cluster.env['DATABASE_URL'],
      options: '-c search_path=spillway',
    });
    await database.connect();
  });
  after(async () => {
    await database?.end();
    await cluster?.close();
    await redisLink?.close();
    await slack?.close();
    await receiver?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function at(id: string) {
    const { url } = servers.get(id) ?? { url: '' };
    return { url, adminKey: cluster.adminKey, apiKey: cluster.apiKey };
  }

  /** One call at each server, `rounds` times. */
  async function call(rounds: number): Promise<readonly number[]> {
    const calls = Array.from({ length: rounds }, () => [...servers.keys()]).flat();
    const answers = await Promise.all(calls.map((id) => ask(at(id))));
    return answers.map(({ status }) => status);
  }

  async function started(name: string): Promise<ReceivedAlert> {
    const isIt = (alert: ReceivedAlert) => alert.name === name && alert.phase === 'started';
    const alert = await receiver.waitFor(isIt, `start of ${name}`);
    assert.match(alert.message, new RegExp(`See docs/runbook.md#${name}\\.$`));
    return alert;
  }

  async function ended(name: string): Promise<void> {
    const isIt = (alert: ReceivedAlert) => alert.name === name && alert.phase === 'ended';
    await receiver.waitFor(isIt, `end of ${name}`);
  }

  /**
   * Runs `work` while every message of the board has reached all sinks and none can be added or sent: a message that is
   * under way when its server dies is sent again, and only when its claim has ended.
   */
  async function whileAllDelivered(work: () => Promise<void> | void): Promise<void> {
    for (let isDone = false; !isDone; ) {
      await database.query('begin; lock table alert_notices in exclusive mode');
      try {
        const { rows } = await database.query('select id from alert_notices limit 1');
        isDone = rows.length === 0;
        if (isDone) await work();
      } finally {
        await database.query('rollback');
      }
    }
  }

  test('errors at all servers start the alerts on errors and circuits, and their end ends them', async () => {
    cluster.simulator.setScenario({ preset: 'server-error' });
    await call(3);
    await started('circuit-open');
    await started('error-rate');
    await started('error-count');
    cluster.simulator.setScenario({ preset: 'healthy' });
    while ((await call(1)).some((status) => status !== 200));
    await ended('circuit-open');
    await ended('error-count');
    await ended('error-rate');
  });

  test('slow, expensive and refused requests start the alerts on latency, cost and limits', async () => {
    cluster.simulator.setScenario({ preset: 'healthy', latencyMs: 2600 });
    const tenant = await newTenant(at('beta'), { requestsPerMinute: 1 });
    const refused = Promise.all([1, 2, 3, 4].map(() => ask(tenant)));
    await call(2);
    assert.ok((await refused).some(({ status }) => status === 429));
    await started('latency-p99');
    await started('cost-per-request');
    await started('rate-limit-exceeded');
    cluster.simulator.setScenario({ preset: 'healthy' });
    await ended('latency-p99');
    await ended('cost-per-request');
    await ended('rate-limit-exceeded');
  });

  test('a refused provider key starts an alert that ends with the first accepted call', async () => {
    cluster.simulator.setScenario({ preset: 'credentials-refused' });
    assert.deepEqual(new Set(await call(1)), new Set([502]));
    assert.equal((await started('credentials-refused')).subject, 'anthropic/default');
    cluster.simulator.setScenario({ preset: 'healthy' });
    while ((await call(1)).some((status) => status !== 200));
    await ended('credentials-refused');
  });

  test('each threshold of a budget is reported once, and a raised budget ends the alert', async () => {
    const tenant = await newTenant(at('gamma'), {
      monthlyBudgetUsd: 0.02,
      requestsPerMinute: 1000,
    });
    while ((await ask(tenant)).status !== 402);
    const isLast = ({ name, threshold }: ReceivedAlert) =>
      name === 'budget-usage' && threshold >= 0.9;
    await receiver.waitFor(isLast, 'budget alert at 90 %');
    await administer(at('alpha'), 'PATCH', `/admin/orgs/${tenant.organizationId}`, {
      monthlyBudgetUsd: 100,
    });
    await ended('budget-usage');
    const thresholds = receiver.received
      .filter(({ name, phase }) => name === 'budget-usage' && phase === 'started')
      .map(({ threshold }) => threshold);
    // Thresholds that one batch of usage crosses have no order.
    assert.deepEqual(new Set(thresholds), new Set([0.5, 0.8, 0.9]));
    assert.equal(thresholds.length, 3);
  });

  test('maintenance of all servers starts an alert', async () => {
    for (const id of IDS)
      await administer(at('alpha'), 'POST', `/cluster/servers/${id}/maintenance`);
    await started('no-server');
    for (const id of IDS) await administer(at('alpha'), 'POST', `/cluster/servers/${id}/resume`);
    await ended('no-server');
  });

  test('an unavailable Redis starts an alert that ends with its return', async () => {
    redisLink.cut();
    const alert = await started('dependency-unavailable');
    assert.equal(alert.subject, 'redis');
    redisLink.restore();
    await ended('dependency-unavailable');
  });

  test('jobs without a worker start the alerts on queues, and a worker ends them', async () => {
    for (let count = 0; count < 4; count += 1) await submitJob();
    await started('raw-queue-backlog');
    await started('oldest-waiting-job');
    const { rows } = await database.query<{ id: string }>(
      `update jobs set state = 'delayed', queue = 'no-messages', run_at = run_at - 60000
       where id = (select id from jobs limit 1) returning id`,
    );
    assert.equal((await started('delayed-messages')).subject, 'no-messages');
    await database.query('delete from jobs where id = $1', [rows[0]?.id]);
    await ended('delayed-messages');
    cluster.simulator.setScenario({ preset: 'credentials-refused' });
    const worker = ['serve', '--config', join(folder, 'spillway.yaml')];
    servers.set('delta', await cluster.start(worker, { SERVER_ID: 'delta' }));
    await ended('raw-queue-backlog');
    await ended('oldest-waiting-job');
    await started('dead-letters');
  });

  async function submitJob(): Promise<void> {
    const { url, apiKey } = at('alpha');
    const body = { provider: 'anthropic', prompt: 'Hello' };
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v1/jobs`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 202, await answer.text());
  }

  test('another server continues when the leader is killed, and repeats nothing', async () => {
    const { rows } = await database.query<{ server_id: string }>(
      `select server_id from alerts where name = 'dead-letters'`,
    );
    const speaker = rows[0]?.server_id ?? '';
    const victim = servers.get(speaker)?.process;
    assert.ok(victim, speaker);
    await whileAllDelivered(async () => {
      victim.kill('SIGKILL');
      await victim.ended();
    });
    servers.delete(speaker);
    const [other = ''] = servers.keys();
    await database.query('delete from dead_letters');
    await ended('dead-letters');
    const page = await administer(at(other), 'GET', '/admin/alerts?state=firing');
    assert.deepEqual(
      (page['data'] as { name: string }[]).filter(({ name }) => name === 'dead-letters'),
      [],
    );
  });

  test('every alert was signed, started once and ended once, and the board agrees', async () => {
    assert.equal(receiver.refused, 0);
    for (const name of ALERT_NAMES.filter((each) => each !== 'budget-usage')) {
      // The refused key of the last test may start its alert again.
      const own = receiver.received.filter((alert) => alert.name === name);
      const bySubject = Map.groupBy(own, ({ subject }) => subject);
      for (const messages of bySubject.values())
        for (const [index, { phase }] of messages.entries())
          assert.equal(phase, index % 2 === 0 ? 'started' : 'ended', `${name}: ${phase}`);
      assert.ok(own.length >= 2, name);
    }
    await whileAllDelivered(async () => {
      const { rows } = await database.query<{ count: string }>(
        `select count(*) as count from alerts where name <> 'budget-usage'`,
      );
      const starts = receiver.received.filter(
        ({ name, phase }) => phase === 'started' && name !== 'budget-usage',
      );
      assert.equal(starts.length, Number(rows[0]?.count));
    });
  });

  test('Slack got every message of the webhook once, as text in its format', async () => {
    await whileAllDelivered(() => {
      const titles = slack.requests.map(({ body }) => {
        const { text, ...rest } = JSON.parse(body) as { readonly text: string };
        assert.deepEqual(rest, {});
        const [title = '', sentence = ''] = text.split('\n');
        assert.match(sentence, /See docs\/runbook\.md#|ended|again|back/i);
        return title;
      });
      const expected = receiver.received.map(({ phase, severity, name }) => {
        const mark =
          phase === 'ended' ? 'Resolved' : severity === 'critical' ? 'Critical' : 'Warning';
        return `*${mark}: ${name}*`;
      });
      assert.deepEqual(titles.toSorted(), expected.toSorted());
    });
  });
});
