// The services as a test file sees them: the runner has put their URLs into the environment. A test asks
// for what it needs; what is missing is one sentence that says how to get it.
//
// Test files run side by side on the same servers, so each keeps to a corner of its own: a database
// (`isolatedDatabase`), a key prefix and queue names (`uniqueName`), all of which start with `spillway_test_`.

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

/** A name for this test file alone; safe as a database, a queue and part of a Redis key. */
export function uniqueName(purpose: string): string {
  const word = purpose
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 30);
  return `spillway_test_${word}_${randomBytes(6).toString('hex')}`;
}

export type IsolatedDatabase = {
  name: string;
  /** Where the tests of this file connect. */
  url: string;
  /** Run on `databaseUrl`, by the test's own driver, before and after. */
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
