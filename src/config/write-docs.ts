// Writes docs/configuration.md and .env.example anew: `node src/config/write-docs.ts`, after a change of a table.

import { writeFileSync } from 'node:fs';
import { renderConfigurationDoc } from './documents/configuration-page.ts';
import { renderEnvExample } from './documents/env-example.ts';

const root = new URL('../../', import.meta.url);

writeFileSync(new URL('docs/configuration.md', root), renderConfigurationDoc());
writeFileSync(new URL('.env.example', root), renderEnvExample());
