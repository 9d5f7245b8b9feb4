// The services as a test file sees them: the runner sets their URLs in the environment, and a missing one is
// reported with a message that says how to get it.
//
// Test files run side by side on the same servers, so each uses its own names: a database
// (`isolatedDatabase`), a key prefix and queue names (`uniqueName`), all starting with `spillway_test_`.

import { randomBytes } from 'node:crypto';
import { CATALOGUE, type Environment, type WantedName } from './service-catalogue.ts';

export type ServiceAddresses = {
  readonly redisUrl: string;
  readonly rabbitmqUrl: string;
  readonly databaseUrl: string;
  readonly chromiumPath: string;
};

/** Each address is looked up when it is read, so that a test needs only the services it uses. */
export function servicesFromEnv(env: Environment): ServiceAddresses {
  const read = (name: WantedName): string => {
    const { variable, title } = CATALOGUE[name];
    const value = env[variable];
    if (value) return value;
    throw new Error(
      `${variable} is not set, so this test has no ${title}: run it with \`npm test\`, or set it as \`npm run services\` prints it.`,
    );
  };
  return Object.freeze({
    get redisUrl() {
      return read('redis');
    },
    get rabbitmqUrl() {
      return read('rabbitmq');
    },
    get databaseUrl() {
      return read('postgres');
    },
    get chromiumPath() {
      return read('chromium');
    },
  });
}

/** A name unique to this test file, valid as a database, a queue and part of a Redis key. */
export function uniqueName(purpose: string): string {
  const word = purpose
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 30);
  return `spillway_test_${word}_${randomBytes(6).toString('hex')}`;
}

export type IsolatedDatabase = {
  name: string;
  /** The URL for the tests of this file. */
  url: string;
  /** Run on `databaseUrl` with the test's own driver, before and after. */
  createSql: string;
  dropSql: string;
};

export function isolatedDatabase(databaseUrl: string, purpose: string): IsolatedDatabase {
  const name = uniqueName(purpose);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    createSql: `CREATE DATABASE ${name}`,
    dropSql: `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
  };
}
