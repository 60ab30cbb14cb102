/** Connects to the first server in DATABASE_URL that takes writes. (Interface 2) */
import type { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Host } from '../config/database-url.js';
import { Outage } from '../platform/outage.js';
import { connectionFaultOf, NO_CHANNEL_BINDING } from './connection-faults.js';

export interface ServerChoice {
  /** In order, if there are several; empty: the one that the driver knows */
  hosts: Host[];
  /** How long the choice may take: milliseconds */
  limitMs: number;
  /** True if there is a pooler, whose report about the server may be old */
  isPooled: boolean;
  /** True if the server must prove the password bound to its certificate, and may ask for nothing else */
  isBindingRequired: boolean;
}

/** A standby, or a server or database whose settings refuse writes. */
export class ReadOnlyServer extends Outage {
  override readonly name = 'ReadOnlyServer';
  /** SQLSTATE read_only_sql_transaction, as of a statement that such a server refuses */
  readonly code = '25006';

  /** @param now the time by the server's clock */
  constructor(readonly now: Date) {
    super('the database takes no writes: it is a standby, or default_transaction_read_only is on');
  }
}

/** How long to wait for a host to accept a TCP connection before the next one is tried: milliseconds. */
const UNANSWERED_MS = 1_000;

/** Settings that a server reports by itself. Both are `off` if it takes writes. */
const REPORTED_AT_START = ['in_hot_standby', 'default_transaction_read_only'];

const STATE_SQL = `select current_setting('transaction_read_only'), extract(epoch from clock_timestamp()) * 1000`;
type State = [isReadOnly: string, nowMs: string];

type Target = [port: number, host: string] | [socketPath: string];

/** The driver's connection; its published types leave this out. */
interface DriverConnection extends EventEmitter {
  stream: Duplex;
  _ending: boolean;
  attachListeners(stream: Duplex): void;
  connect(...target: Target): void;
  query(text: string): void;
  startup(settings: Record<string, string>): void;
}
const DriverConnection = pg.Connection as unknown as new (config: object) => DriverConnection;

/**
 * The protocol layer of a client of the driver. It hides servers that cannot be reached, refuse the connection or take no
 * writes: the client sees only the start of the next connection.
 */
export class ServerConnection extends DriverConnection {
  readonly #choice: ServerChoice;
  #isChoosing = false;
  #deadlineMs = 0;
  #targets: Target[] = [];
  #timer: NodeJS.Timeout | undefined;
  #socket: Duplex | undefined;
  /** Settings that the server has reported */
  #settings = new Map<string, string>();
  /** Its answer to STATE_SQL */
  #state: State | undefined;
  /** The proof of the password was bound to the certificate, and that of the server is right */
  #isBound = false;
  #failure: Error | undefined;

  constructor(config: object, choice: ServerChoice) {
    super(config);
    this.#choice = choice;
  }

  override connect(...target: Target): void {
    const { hosts, limitMs } = this.#choice;
    const [first = target, ...others] = hosts.map(targetOf);
    this.#targets = others;
    this.#deadlineMs = performance.now() + limitMs;
    this.#isChoosing = true;
    this.#tryNext(first);
  }

  /** The driver's parser throws for an unknown authentication method, and nothing would catch that. */
  override attachListeners(stream: Duplex): void {
    super.attachListeners(stream);
    const [parse] = stream.listeners('data') as [(bytes: Buffer) => void];
    stream.off('data', parse).on('data', (bytes: Buffer) => {
      try {
        parse(bytes);
      } catch (error) {
        if (!this.#isChoosing) throw error;
        this.#fail(error as Error);
      }
    });
  }

  /** Requests times as ISO 8601, whatever the database or its role has set. A pooler gets no settings. */
  override startup(settings: Record<string, string>): void {
    super.startup(this.#choice.isPooled ? settings : { ...settings, DateStyle: 'ISO' });
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (!this.#isChoosing) return super.emit(event, ...args);
    if (this.#choice.isBindingRequired && this.#isUnbound(event, args[0]))
      return this.#fail(new Error(NO_CHANNEL_BINDING));
    switch (event) {
      case 'error':
      case 'errorMessage':
        return this.#fail(args[0] as Error);
      case 'end':
        return this.#fail(new Error('Connection terminated unexpectedly'));
      case 'connect':
        this.#giveUpAfter(this.#shareMs());
        break;
      case 'parameterStatus': {
        const { parameterName, parameterValue } = args[0] as { parameterName: string; parameterValue: string };
        this.#settings.set(parameterName, parameterValue);
        break;
      }
      case 'readyForQuery':
        return this.#decide() && super.emit(event, ...args);
      case 'dataRow':
        this.#state = (args[0] as { fields: State }).fields;
        return true;
      case 'rowDescription':
      case 'commandComplete':
        return true;
    }
    return super.emit(event, ...args);
  }

  /** Before a password is sent that is not bound, and before the server is believed without one. */
  #isUnbound(event: string | symbol, message: unknown): boolean {
    switch (event) {
      case 'authenticationSASL':
        return !(message as { mechanisms: string[] }).mechanisms.includes('SCRAM-SHA-256-PLUS');
      case 'authenticationSASLFinal':
        this.#isBound = true; // a wrong proof is an error, which comes before the rest
        return false;
      case 'authenticationOk':
        return !this.#isBound;
      default:
        return event === 'authenticationCleartextPassword' || event === 'authenticationMD5Password';
    }
  }

  #tryNext(target: Target): void {
    this.#settings.clear();
    this.#state = undefined;
    this.#isBound = false;
    this.stream = this.#socket = new Socket();
    this.#giveUpAfter(this.#targets.length === 0 ? this.#shareMs() : Math.min(this.#shareMs(), UNANSWERED_MS));
    super.connect(...target);
  }

  /** Asks the server, unless it has reported at the start that it takes writes (PostgreSQL 14 and newer). */
  #decide(): boolean {
    if (this.#state === undefined) {
      const isReportedWritable = REPORTED_AT_START.every((name) => this.#settings.get(name) === 'off');
      if (this.#choice.isPooled || !isReportedWritable) {
        this.query(STATE_SQL);
        return false;
      }
    } else if (this.#state[0] !== 'off') {
      return !this.#fail(new ReadOnlyServer(new Date(Number(this.#state[1]))));
    }
    this.#isChoosing = false;
    clearTimeout(this.#timer);
    return true;
  }

  /** Tries the next host. After the last one, reports an error; that of a server that answered comes before a timeout. */
  #fail(error: Error): true {
    clearTimeout(this.#timer);
    for (const stream of [this.stream, this.#socket]) {
      stream
        ?.removeAllListeners()
        .on('error', () => undefined)
        .destroy();
    }
    if (this.#failure === undefined || (isAnswer(error) && !isAnswer(this.#failure))) this.#failure = error;
    const next = this.#targets.shift();
    if (next !== undefined && !this._ending && performance.now() < this.#deadlineMs) {
      this.#tryNext(next);
      return true;
    }
    this.#isChoosing = false;
    super.emit('error', this.#failure);
    return super.emit('end') || true;
  }

  /** The remaining time, divided by the remaining hosts: milliseconds. */
  #shareMs(): number {
    return (this.#deadlineMs - performance.now()) / (this.#targets.length + 1);
  }

  #giveUpAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(new Error('timeout exceeded when trying to connect')), Math.max(ms, 0));
  }
}

function isAnswer(error: Error): boolean {
  return error instanceof pg.DatabaseError || error instanceof ReadOnlyServer || connectionFaultOf(error) !== undefined;
}

function targetOf({ host, port }: Host): Target {
  return host.startsWith('/') ? [`${host}/.s.PGSQL.${port}`] : [port, host];
}
