// Regenerates docs/configuration.md and .env.example from the tables: `node src/config/write-docs.ts`.

import { writeFileSync } from 'node:fs';
import { renderConfigurationDoc } from './documents/configuration-page.ts';
import { renderEnvExample } from './documents/env-example.ts';

const root = new URL('../../', import.meta.url);

writeFileSync(new URL('docs/configuration.md', root), renderConfigurationDoc());
writeFileSync(new URL('.env.example', root), renderEnvExample());
