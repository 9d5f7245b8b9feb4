// Reads the example deployments under deploy/: the environment of each Spillway process, its arguments, and the Kubernetes
// objects.

import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

export const DEPLOY = resolve(import.meta.dirname, '../../../deploy');

export type ExampleProcess = {
  /** For messages: the file and the process in it. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly stopTimeoutSeconds: number;
};

export function exampleProcesses(): readonly ExampleProcess[] {
  return [...systemdProcesses(), ...composeProcesses(), ...kubernetesProcesses()];
}

export function read(path: string): string {
  return readFileSync(join(DEPLOY, path), 'utf8');
}

export function unitFiles(): readonly string[] {
  return globSync('systemd/*.service', { cwd: DEPLOY });
}

function systemdProcesses(): ExampleProcess[] {
  return unitFiles().map((file) => {
    const text = read(file);
    const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? '';
    const command = value('ExecStart').replace('%i', 'gemini').split(' ');
    // Commented settings are examples too.
    const shared = parseEnv(read('systemd/spillway.env').replaceAll(/^#(?=[A-Z_]+=)/gm, ''));
    return {
      name: basename(file),
      env: { ...definedOnly(shared), ...definedOnly(parseEnv(value('Environment'))) },
      args: command.slice(command.indexOf('spillway') + 1),
      stopTimeoutSeconds: Number(value('TimeoutStopSec')),
    };
  });
}

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      stop_grace_period: z.string().optional(),
      volumes: z.array(z.string()).optional(),
      depends_on: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
});

export function readCompose(): z.infer<typeof Compose> {
  return Compose.parse(parse(read('container/compose.yaml'), { merge: true }));
}

/** `${NAME:?}` stands for a variable of compose.env, here for a long text. */
function composeProcesses(): ExampleProcess[] {
  const own = Object.entries(readCompose().services).filter(
    ([, { image }]) => image === 'spillway',
  );
  return own.map(([name, service]) => ({
    name: `compose ${name}`,
    env: Object.fromEntries(
      Object.entries(service.environment ?? {}).map(([key, value]) => [
        key,
        value.replaceAll(/\$\{\w+:[?-]\}/g, 'x'.repeat(40)),
      ]),
    ),
    args: service.command ?? [],
    stopTimeoutSeconds: Number.parseInt(service.stop_grace_period ?? '', 10),
  }));
}

const Container = z.object({
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
  volumeMounts: z.array(z.object({ name: z.string() })),
  readinessProbe: z.object({ httpGet: z.object({ path: z.string() }) }),
  livenessProbe: z.object({ httpGet: z.object({ path: z.string() }) }),
});
const Labels = z.record(z.string(), z.string());
const Named = z.object({ name: z.string() });

export const Workload = z.object({
  kind: z.enum(['StatefulSet', 'Deployment']),
  apiVersion: z.literal('apps/v1'),
  metadata: Named,
  spec: z.object({
    serviceName: z.string().optional(),
    selector: z.object({ matchLabels: Labels }),
    template: z.object({
      metadata: z.object({ labels: Labels }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([Container]),
        volumes: z.array(Named),
      }),
    }),
    volumeClaimTemplates: z.array(z.object({ metadata: Named })).optional(),
  }),
});
export const Service = z.object({
  kind: z.literal('Service'),
  metadata: Named,
  spec: z.object({ selector: Labels }),
});
export const Autoscaler = z.object({
  kind: z.literal('HorizontalPodAutoscaler'),
  apiVersion: z.literal('autoscaling/v2'),
  spec: z.object({
    scaleTargetRef: z.object({ kind: z.string(), name: z.string() }),
    metrics: z.array(
      z.object({
        external: z.object({
          metric: z.object({ name: z.string(), selector: z.object({ matchLabels: Labels }) }),
        }),
      }),
    ),
  }),
});
const ConfigMap = z.object({ kind: z.literal('ConfigMap'), data: Labels });
const Kustomization = z.object({ resources: z.array(z.string()) });

/** The objects of the kustomization that have the shape. */
export function kubernetesObjects<T>(shape: z.ZodType<T>): readonly T[] {
  const { resources } = Kustomization.parse(parse(read('kubernetes/kustomization.yaml')));
  const objects = resources.flatMap((file) =>
    parseAllDocuments(read(`kubernetes/${file}`)).map((document) => document.toJS()),
  );
  return objects.flatMap((object) => {
    const parsed = shape.safeParse(object);
    return parsed.success ? [parsed.data] : [];
  });
}

function kubernetesProcesses(): ExampleProcess[] {
  const [config] = kubernetesObjects(ConfigMap);
  const secret = definedOnly(parseEnv(read('kubernetes/secret.env')));
  return kubernetesObjects(Workload).map(({ metadata, spec }) => {
    const { containers, terminationGracePeriodSeconds } = spec.template.spec;
    const [{ args, env }] = containers;
    const own = env.flatMap(({ name, value }): [string, string][] =>
      value === undefined ? [] : [[name, value.replace('$(POD_IP)', '10.0.0.1')]],
    );
    return {
      name: `kubernetes ${metadata.name}`,
      env: { ...config?.data, ...secret, ...Object.fromEntries(own) },
      args,
      stopTimeoutSeconds: terminationGracePeriodSeconds,
    };
  });
}

function definedOnly(env: NodeJS.Dict<string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
