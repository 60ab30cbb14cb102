/** What compose.yaml says, as far as the tests carry it out. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Service {
  image: string;
  user?: string;
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  secrets?: string[];
  tmpfs?: string[];
  networks?: string[] | Record<string, { ipv4_address: string } | null>;
  depends_on?: Record<string, { condition: 'service_healthy' | 'service_completed_successfully' }>;
  healthcheck?: { test: string[] };
  extra_hosts?: Record<string, string>;
  profiles?: string[];
}

export interface Compose {
  services: Record<string, Service>;
  networks: Record<string, { enable_ipv6?: boolean; ipam?: { config: { subnet: string }[] } } | null>;
}

/** With what stands in the environment of somebody who has set nothing. */
export function readCompose(...files: string[]): Compose[] {
  return files.map((file) =>
    parse(readFileSync(file, 'utf8').replace(/\$\{\w+:[-?]([^}]*)\}/g, '$1'), { merge: true }),
  );
}
