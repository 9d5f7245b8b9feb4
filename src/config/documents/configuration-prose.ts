// The words of docs/configuration.md that no table holds. The example is loaded by a test.

export const EXAMPLE_YAML = `server:
  drainTimeoutMs: 2m
  bodyLimitBytes: 32MiB
  routeBodyLimitBytes:
    /v1/embeddings: 4MiB

providers:
  anthropic:
    tier: scale
    accounts:
      - name: second
        apiKeyVariable: ANTHROPIC_SECOND_KEY
        requestsPerMinute: 200
  groq:
    baseUrl: https://api.groq.com/openai/v1
    apiKeyVariable: GROQ_KEY
    models: [llama-*]
    defaultModel: llama-3.3-70b-versatile
    requestsPerMinute: 30

aliases:
  fast:
    targets: [groq/llama-3.3-70b-versatile, gemini/gemini-2.5-flash]

models:
  llama-3.3-70b-versatile:
    maxOutputTokens: 32768
    contextTokens: 131072

retention:
  resultsMs: 7d
`;

export const CONFIGURATION_HEAD = `# Configuration

<!-- Made by \`node src/config/write-docs.ts\` from src/config/settings.ts; a test holds it equal. -->

Spillway needs no configuration to start. What you set is read once, at start, checked as a whole and never changed
while the process runs. \`spillway config\` prints what holds and who said so, with secrets masked.

Sources, later wins: the defaults, \`spillway.yaml\` in the folder Spillway is started in (or \`--config FILE\`), \`.env\` in
that folder, the environment.

- A wrong value is one sentence that names the setting, the value and what is allowed, and exit code 2.
- A key of the file that is not known is refused, and so is a variable that is a letter or two from one that begins
  with \`SPILLWAY_\`. Other variables are none of Spillway's business.
- An empty variable counts as not set; an empty one in the environment also hides the one in \`.env\`.
- Booleans: \`true\`, \`1\`, \`yes\`, \`on\`, \`false\`, \`0\`, \`no\`, \`off\`. Lists in variables are separated by commas.
- Durations are milliseconds, or \`500ms\`, \`30s\`, \`10m\`, \`1h\`, \`7d\`. Sizes are bytes, or \`512KiB\`, \`32MiB\`, \`1GiB\`.

Without any provider key, \`spillway serve\` on embedded storage and a loopback \`HOST\` answers from the built-in
simulator. Any other server without a key does not start.

## Example

\`\`\`yaml
${EXAMPLE_YAML}\`\`\``;

export const NAMED_PROSE = {
  providers: `A map of names to providers. \`anthropic\`, \`openai\` and \`gemini\` are always there and need only a key; any other
name is one more provider, of OpenAI's format unless \`format\` says otherwise. In the variables \`{PROVIDER}\` is the name
in capitals, with \`_\` for \`-\`. The address of an OpenAI-compatible provider that has no path is given \`/v1\`; a path is
taken as written. For the built-in ones:`,
  accounts: `Further accounts of one provider, each with limits of its own. The key of the provider itself is the account
\`default\`. What an account does not say is taken from its tier, then from the provider. When one account has a key, all
must.`,
  aliases: `A map of names to chains of targets. A request that names an alias is served by the first target that can.`,
  models: `A map of names of models to what Spillway should know of them, where it knows nothing or something else.`,
} as const;
