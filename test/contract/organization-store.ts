// The contract of the port OrganizationStore. The test of each adapter calls it with its own store.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newOrganization } from '../../src/admission/organization.ts';
import {
  ensureDefaultOrganization,
  type OrganizationStore,
} from '../../src/admission/organization-store.ts';

export type OpenedOrganizationStore = {
  readonly organizations: OrganizationStore;
  close(): Promise<void>;
};

export function organizationStoreContract(
  adapter: string,
  open: () => Promise<OpenedOrganizationStore>,
): void {
  describe(`organisations on ${adapter}`, () => {
    let opened: OpenedOrganizationStore;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());

    it('creates the default organisation once and does not change an existing one', async () => {
      const { organizations } = opened;
      const made = await ensureDefaultOrganization(organizations, 1000);
      assert.equal(made.monthlyBudgetNanos, 100_000_000_000);
      assert.equal(made.requestsPerMinute, 100);
      await organizations.update('default', { requestsPerMinute: 7 }, 2000);
      const again = await ensureDefaultOrganization(organizations, 3000);
      assert.equal(again.requestsPerMinute, 7);
      assert.equal(again.createdAt, 1000);
    });

    it('returns every field unchanged', async () => {
      const organization = newOrganization(
        {
          id: 'full',
          name: 'Füll ☂ "quoted"',
          monthlyBudgetNanos: 9_007_199_254_740_991,
          userMonthlyBudgetNanos: 7_000_000_000,
          requestsPerMinute: 5,
          tokensPerMinute: 10_000_000_000,
          tokensPerDay: 20_000_000_000,
          maxConcurrent: 3,
          locale: 'tr',
          timeZone: 'Europe/Istanbul',
          messages: { RATE_LIMITED: 'Slow {down}' },
          allowStale: true,
          allowPromptPreview: true,
          webhookSecret: 'whsec_x',
        },
        1_800_000_000_000,
      );
      assert.equal(await opened.organizations.create(organization), true);
      assert.deepEqual(await opened.organizations.find('full'), organization);
    });

    it('rejects an existing id and changes nothing', async () => {
      const { organizations } = opened;
      await organizations.create(newOrganization({ id: 'taken', name: 'First' }, 1));
      assert.equal(
        await organizations.create(newOrganization({ id: 'taken', name: 'Second' }, 2)),
        false,
      );
      assert.equal((await organizations.find('taken'))?.name, 'First');
    });

    it('an update changes the given fields and clears the null ones', async () => {
      const { organizations } = opened;
      await organizations.create(newOrganization({ id: 'patched', locale: 'de' }, 1));
      const changed = await organizations.update('patched', { locale: null, allowStale: true }, 9);
      assert.equal(changed?.locale, undefined);
      assert.equal(changed?.allowStale, true);
      assert.equal(changed?.name, 'patched');
      assert.equal(changed?.updatedAt, 9);
      assert.equal(await organizations.update('nobody', { name: 'x' }, 9), undefined);
    });

    it('lists the organisations changed since a timestamp', async () => {
      const { organizations } = opened;
      const [long, just] = [5_000_000_000_000, 6_000_000_000_000];
      for (const id of ['unchanged', 'changed'])
        await organizations.create(newOrganization({ id }, long));
      await organizations.update('changed', { requestsPerMinute: 3 }, just);
      const news = await organizations.changedSince(just);
      assert.deepEqual(
        news.map(({ id, requestsPerMinute }) => [id, requestsPerMinute]),
        [['changed', 3]],
      );
    });

    it('replaces a deleted organisation by a tombstone that keeps its id taken', async () => {
      const { organizations } = opened;
      const given = newOrganization({ id: 'deleted', webhookSecret: 'whsec_x' }, 1);
      await organizations.create(given);
      assert.equal((await organizations.delete('deleted', 7))?.id, 'deleted');
      assert.equal(await organizations.find('deleted'), undefined);
      assert.equal(await organizations.update('deleted', { name: 'x' }, 8), undefined);
      const { organizations: after } = await organizations.list({ after: 'deletec', limit: 1 });
      assert.notEqual(after[0]?.id, 'deleted');
      assert.equal(await organizations.isTaken('deleted'), true);
      assert.equal(await organizations.create(given), false);
      assert.equal(await organizations.delete('deleted', 9), undefined);
    });

    it('reports a deletion to servers that cache the organisation', async () => {
      const { organizations } = opened;
      const deletedAt = 7_000_000_000_000;
      await organizations.create(newOrganization({ id: 'cached' }, 1));
      await organizations.delete('cached', deletedAt);
      const news = await organizations.changedSince(deletedAt);
      assert.deepEqual(
        news.map(({ id }) => id),
        ['cached'],
      );
    });

    it('an id that was never created is not taken and cannot be deleted', async () => {
      const { organizations } = opened;
      assert.equal(await organizations.isTaken('never-created'), false);
      assert.equal(await organizations.delete('never-created', 1), undefined);
    });

    it('lists pages ordered by id', async () => {
      const { organizations } = opened;
      for (const id of ['page-a', 'page-b', 'page-c'])
        await organizations.create(newOrganization({ id }, 1));
      const page = await organizations.list({ after: 'page-a', limit: 2 });
      assert.deepEqual(
        page.organizations.map((organization) => organization.id),
        ['page-b', 'page-c'],
      );
    });

    it('lists the organisations with a text in their id or name', async () => {
      const { organizations } = opened;
      await organizations.create(newOrganization({ id: 'found-1', name: 'Größe' }, 1));
      await organizations.create(newOrganization({ id: 'found-2', name: '100 %_\\' }, 1));
      await organizations.create(newOrganization({ id: 'found-3', name: 'x' }, 1));
      const ids = async (text: string, page: object = {}) =>
        (await organizations.list({ text, limit: 9, ...page })).organizations.map(({ id }) => id);
      assert.deepEqual(await ids('GRÖ'), ['found-1']);
      assert.deepEqual(await ids('%_\\'), ['found-2']);
      assert.deepEqual(await ids('Found-', { limit: 2 }), ['found-1', 'found-2']);
      assert.deepEqual(await ids('Found-', { after: 'found-2' }), ['found-3']);
      assert.deepEqual(await ids('absent from every name'), []);
    });
  });
}
