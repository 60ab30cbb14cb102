/** The image as an OCI archive for each processor, by buildah, on a base of Debian's packages. As root. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { componentOf, debianComponents, sbom } from './sbom.js';
import { read } from './shipped.js';
import { tar } from './tar.js';

const ARCHITECTURES = { amd64: 'x64', arm64: 'arm64' };

/**
 * @param out where `auth-gateway-VERSION-ARCHITECTURE.oci.tar` and its SBOM are written
 * @param layOut writes the program's files into a folder
 * @param parts the packages of Node, among others
 */
export async function makeImages({ out, version, source, parts, layOut }) {
  const folder = mkdtempSync(join(tmpdir(), 'images-'));
  const storage = `[storage]\ndriver = "vfs"\nrunroot = "${folder}/run"\ngraphroot = "${folder}/graph"\n`;
  writeFileSync(join(folder, 'storage.conf'), storage);
  const env = { ...process.env, CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf') };
  const run = (program, ...words) =>
    execFileSync(program, words, { env, stdio: ['ignore', 'pipe', process.stderr], maxBuffer: 2 ** 30 });
  try {
    for (const [architecture, cpu] of Object.entries(ARCHITECTURES)) {
      const name = `auth-gateway-${version}-${architecture}`;
      const at = (path) => join(folder, architecture, path);
      mkdirSync(at('build/image'), { recursive: true });
      run('sh', 'scripts/image-base.sh', architecture, at('base.tar'));

      const node = `node_modules/node-linux-${cpu}`;
      await layOut(at('build/image'), [read(`${node}/LICENSE`), read(`${node}/bin/node`)]);
      const program = JSON.parse(readFileSync(at('build/image/sbom.cdx.json'), 'utf8')).components;
      const status = run('tar', '-xOf', at('base.tar'), './var/lib/dpkg/status').toString();
      const all = [
        ...program,
        componentOf(parts.find((part) => part.name === `node-linux-${cpu}`)),
        ...debianComponents(status),
      ];
      const text = `${JSON.stringify(sbom(version, all, 'container'), null, 2)}\n`;
      writeFileSync(at('build/image/sbom.cdx.json'), text);
      writeFileSync(join(out, `${name}.cdx.json`), text);

      const seconds = process.env.SOURCE_DATE_EPOCH;
      const build = [
        'build',
        '--quiet',
        '--isolation',
        'chroot',
        '--network',
        'host',
        '--timestamp',
        seconds,
        '--platform',
        `linux/${architecture}`,
      ];
      writeFileSync(at('Base'), 'FROM scratch\nADD base.tar /\n');
      run('buildah', ...build, '--file', at('Base'), '--tag', `localhost/base-${architecture}`, at('.'));
      const labels = {
        VERSION: version,
        REVISION: readFileSync('dist/program/revision', 'utf8'),
        CREATED: new Date(seconds * 1000).toISOString(),
        SOURCE: source,
        BASE_IMAGE: `localhost/base-${architecture}`,
      };
      const args = Object.entries(labels).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
      // In the place of the Dockerfile's first stage: its files are the same for both processors, but for Node.
      const stage = ['--build-context', `build=${at('build')}`];
      run('buildah', ...build, ...stage, ...args, '--file', 'Dockerfile', '--tag', `localhost/${name}`, at('build'));
      run('buildah', 'push', '--quiet', `localhost/${name}`, `oci:${at('oci')}:auth-gateway:${version}`);
      writeFileSync(join(out, `${name}.oci.tar`), tar(filesIn(at('oci'))));
      rmSync(at('.'), { recursive: true });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return paths.map((path) => ({ path: path.slice(folder.length + 1), content: readFileSync(path) }));
}
