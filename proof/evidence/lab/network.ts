/** Computers of their own on one machine: network namespaces on a bridge, which partitions cut. Needs root. */
import { execFileSync } from 'node:child_process';
import type { Lab } from './lab.js';

/** A computer: what runs in it has its own address and ports */
export interface Computer {
  name: string;
  address: string;
  /** The words in front of a program that runs in it */
  prefix: string[];
}

export interface Network {
  /** The computer of the lab itself, which reaches all others */
  outside: Computer;
  /** Adds a computer. */
  add(name: string): Computer;
  /** Packets between the two vanish without an error, in both directions. */
  cut(one: Computer, other: Computer): void;
  /** Ends every cut. */
  heal(): void;
}

/** Nobody has it: frames to it are sent and arrive nowhere */
const NOWHERE = '02:00:00:00:00:01';

/** @throws if the kernel refuses, as it does without root */
export function createNetwork(lab: Lab): Network {
  const id = `ev${process.pid}`; // an interface's name has 15 characters at most
  // RFC 2544 reserves 198.18.0.0/15 for tests of networks.
  const subnet = `198.${18 + (process.pid & 1)}.${(process.pid >> 1) & 255}`;
  const outside = { name: 'outside', address: `${subnet}.254`, prefix: [] };
  const devices = new Map<Computer, string>([[outside, id]]);
  const cuts: { computer: Computer; to: string }[] = [];

  ip('link', 'add', id, 'type', 'bridge');
  lab.defer(() => ip('link', 'del', id));
  ip('addr', 'add', `${outside.address}/24`, 'dev', id);
  ip('link', 'set', id, 'up');

  const losePackets = (computer: Computer, to: string): void => {
    run(computer, 'neigh', 'replace', to, 'lladdr', NOWHERE, 'dev', devices.get(computer) ?? '', 'nud', 'permanent');
    cuts.push({ computer, to });
  };
  return {
    outside,
    add: (name) => {
      const space = `${id}-${name}`;
      const index = devices.size;
      const port = `${id}-${index}`;
      ip('netns', 'add', space);
      lab.defer(() => ip('netns', 'del', space)); // and its devices with it
      ip('link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
      ip('link', 'set', port, 'master', id, 'up');
      const computer = { name, address: `${subnet}.${index}`, prefix: ['nsenter', `--net=/run/netns/${space}`, '--'] };
      devices.set(computer, 'eth0');
      run(computer, 'addr', 'add', `${computer.address}/24`, 'dev', 'eth0');
      for (const device of ['lo', 'eth0']) run(computer, 'link', 'set', device, 'up');
      return computer;
    },
    cut: (one, other) => {
      losePackets(one, other.address);
      losePackets(other, one.address);
    },
    heal: () => {
      for (const { computer, to } of cuts.splice(0))
        run(computer, 'neigh', 'del', to, 'dev', devices.get(computer) ?? '');
    },
  };
}

function ip(...words: string[]): void {
  run({ prefix: [] }, ...words);
}

function run({ prefix }: { prefix: string[] }, ...words: string[]): void {
  const [program = '', ...args] = [...prefix, 'ip', ...words];
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
