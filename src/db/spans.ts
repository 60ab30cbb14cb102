/** Spans of statements: by name, without text and values. (Interface 25) */
import type { Tracing } from '../platform/tracing.js';
import type { Db } from './statement.js';

interface Spans {
  /** Each statement has a span, also one that is sent in a batch. */
  ofStatements(db: Db): Db;
  /** A span for what has no name of its own, such as a transaction */
  named<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export function createSpans(tracing: Tracing): Spans {
  if (!tracing.isOn) return { ofStatements: (db) => db, named: (_name, work) => work() };
  const named: Spans['named'] = (name, work) =>
    tracing.span(name, 'client', { 'db.system.name': 'postgresql', 'db.query.summary': name }, work);
  return { ofStatements: (db) => ({ run: (each, values) => named(each.name, () => db.run(each, values)) }), named };
}
