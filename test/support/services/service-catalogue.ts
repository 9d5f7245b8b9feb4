// The services available to tests, as a table: title, environment variable of an existing instance, and
// package. The plans define how a server runs.

export const SERVER_NAMES = ['redis', 'rabbitmq', 'postgres'] as const;
export type ServerName = (typeof SERVER_NAMES)[number];

export const WANTED_NAMES = [...SERVER_NAMES, 'chromium'] as const;
export type WantedName = (typeof WANTED_NAMES)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** Receives a line of progress. */
export type Log = (line: string) => void;

type CatalogueEntry = {
  title: string;
  /** The environment variable that names an instance to use instead of a private one. */
  variable: string;
  debianPackage: string;
  homebrewPackage: string;
  /** The init services and processes that Debian's package starts. */
  daemons: readonly string[];
  daemonCommands: readonly string[];
};

export const CATALOGUE: Readonly<Record<WantedName, CatalogueEntry>> = Object.freeze({
  redis: {
    title: 'Redis',
    variable: 'REDIS_URL',
    debianPackage: 'redis-server',
    homebrewPackage: 'redis',
    daemons: ['redis-server'],
    daemonCommands: ['redis-server'],
  },
  rabbitmq: {
    title: 'RabbitMQ',
    variable: 'RABBITMQ_URL',
    debianPackage: 'rabbitmq-server',
    homebrewPackage: 'rabbitmq',
    daemons: ['rabbitmq-server', 'epmd'],
    daemonCommands: ['beam.smp', 'epmd'],
  },
  postgres: {
    title: 'PostgreSQL',
    variable: 'DATABASE_URL',
    debianPackage: 'postgresql',
    homebrewPackage: 'postgresql@17',
    daemons: ['postgresql'],
    daemonCommands: ['postgres'],
  },
  chromium: {
    title: 'Chromium',
    variable: 'CHROMIUM_PATH',
    debianPackage: 'chromium',
    homebrewPackage: 'chromium',
    daemons: [],
    daemonCommands: [],
  },
});

/** "a", "a and b", "a, b and c". */
export function enumerate(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
